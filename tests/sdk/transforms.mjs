// What the providers' own SDKs make of strict schemas: `node transforms.mjs NODE_MODULES` reads [{id, api, schema}] from
// standard input and prints [{id, api, made}] for those that a transform changes or refuses.
//
// `type` beside `enum` or `const` is left out of account: Anthropic's transform drops it, and its API takes it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

const modules = pathToFileURL(`${resolve(process.argv[2])}/`);
const { toStrictJsonSchema } = await import(new URL('openai/lib/transform.mjs', modules));
const { transformJSONSchema } = await import(new URL('@anthropic-ai/sdk/lib/transform-json-schema.mjs', modules));
const transforms = { openai: toStrictJsonSchema, anthropic: transformJSONSchema };

function comparable(value) {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  const literal = 'enum' in value || 'const' in value;
  // A property may be called `type` as well; then it is a schema.
  const isNamed = typeof value.type === 'string' || Array.isArray(value.type);
  const counts = (key) => !(key === 'type' && literal && isNamed);
  return Object.fromEntries(Object.keys(value).sort().filter(counts).map((key) => [key, comparable(value[key])]));
}

const changed = [];
for (const { id, api, schema } of JSON.parse(readFileSync(0, 'utf8'))) {
  let made;
  try {
    made = transforms[api](structuredClone(schema));
  } catch (error) {
    made = `refused: ${error.message}`;
  }
  if (JSON.stringify(comparable(made)) !== JSON.stringify(comparable(schema))) changed.push({ id, api, made });
}
console.log(JSON.stringify(changed));
