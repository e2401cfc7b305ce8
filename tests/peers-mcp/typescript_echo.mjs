// The same echo tool, served by the TypeScript SDK; with an argument, that many tools.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'typescript', version: '1' });
const config = { description: 'Gives a text back.', inputSchema: { text: z.string().describe('The text.') } };
const echo = ({ text }) => ({ content: [{ type: 'text', text }] });
const count = Number(process.argv[2] ?? 0);
if (count) {
  for (let at = 0; at < count; at += 1) server.registerTool(`tool_${String(at).padStart(4, '0')}`, config, echo);
} else {
  server.registerTool('echo', config, echo);
}
await server.connect(new StdioServerTransport());
