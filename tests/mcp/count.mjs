// Counts what a run of the conformance suite left: `node count.mjs OUT REVISION`. Checks are counted, not scenarios, because one
// whose checks are all skipped passes. Every claimed scenario must have its least number of SUCCESS checks, and nothing outside
// the baseline may be a FAILURE or WARNING; an entry of the baseline that nothing fails any more is stale.
import fs from 'node:fs';
import path from 'node:path';

const [out, revision] = process.argv.slice(2);
const here = import.meta.dirname;
const claimed = JSON.parse(fs.readFileSync(path.join(here, 'claimed.json'), 'utf8'))[revision];
const baseline = fs
  .readFileSync(path.join(here, `baseline-${revision}.yml`), 'utf8')
  .split('\n')
  .flatMap((line) => line.match(/^ {2}- (\S+) # \S/)?.[1] ?? []);

const successes = {};
const passed = new Set();
const excused = new Set();
const wrong = [];
for (const file of fs.readdirSync(out, { recursive: true }).filter((file) => file.endsWith('checks.json'))) {
  const scenario = path.basename(path.dirname(file)).replace(/^server-(.*)-\d{4}-\d{2}-\d{2}T.*$/, '$1');
  successes[scenario] ??= 0;
  for (const check of JSON.parse(fs.readFileSync(path.join(out, file), 'utf8'))) {
    if (check.status === 'SUCCESS') {
      successes[scenario] += 1;
      passed.add(`${scenario}:${check.id}`);
    }
    if (check.status !== 'FAILURE' && check.status !== 'WARNING') continue;
    const entry = [scenario, `${scenario}:${check.id}`].find((entry) => baseline.includes(entry));
    if (entry) excused.add(entry);
    else wrong.push(`${check.status} ${scenario}:${check.id}: ${(check.errorMessage ?? '').slice(0, 200)}`);
  }
}
for (const [scenario, least] of Object.entries(claimed)) {
  const found = successes[scenario];
  if (found === undefined) wrong.push(`the claimed scenario ${scenario} did not run`);
  else if (found < least) wrong.push(`${scenario}: ${found} SUCCESS checks, and ${least} are claimed`);
}
// A check that only notes something, or was skipped, neither fails nor passes.
const isStale = (entry) => !excused.has(entry) && (passed.has(entry) || !entry.includes(':'));
wrong.push(...baseline.filter(isStale).map((entry) => `${entry} is in the baseline and did not fail`));
wrong.forEach((line) => console.log(line));
const sum = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
const kept = sum(Object.keys(claimed).map((scenario) => successes[scenario] ?? 0));
const least = sum(Object.values(claimed));
console.log(
  `${revision}: ${kept} SUCCESS checks in claimed scenarios (least ${least}), ${sum(Object.values(successes))} in all; ` +
    `${excused.size} of ${baseline.length} baseline entries failed; ${wrong.length} wrong`,
);
process.exitCode = wrong.length ? 1 : 0;
