import test from 'ava';
import { planText } from '../../../src/report/plan.ts';
import { planJson } from '../../../src/report/plan-json.ts';
import { statusJson, statusText } from '../../../src/report/status.ts';
import { stepSummary } from '../../../src/report/summary.ts';
import { matchesGolden } from './golden.ts';
import { idle, plan, secret } from './plans.ts';

const plainly = { colour: false };
const coloured = { colour: true };
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
const uncoloured = (text: string) => text.replace(/\u001b\[\d+m/g, '');

test('given a plan of every kind of write, then its text reads as the golden file', (t) =>
  matchesGolden(t, 'plan.txt', `${planText(plan, plainly)}\n`));
test('given colour, then a plan says the same words as without', (t) =>
  t.is(uncoloured(planText(plan, coloured)), planText(plan, plainly)));
test('given nothing to write, then a plan says so', (t) => t.regex(planText(idle, plainly), /\n {2}nothing to do$/));
test('given a plan, then its JSON has the shape of the golden file', (t) =>
  matchesGolden(t, 'plan.json', `${JSON.stringify(planJson(plan), null, 2)}\n`));
test('given two releases, then status is a table with a line for each', (t) =>
  matchesGolden(t, 'status.txt', `${statusText([plan, { ...idle, release: 'a-longer-name' }], plainly)}\n`));
test('given a release with a canary, then the status JSON has the moments as RFC 3339', (t) => {
  t.regex(JSON.stringify(statusJson([plan])), /"entered":\[\{"weight":10,"at":"2026-11-20T14:01:00Z"\}\]/);
});
test('given no releases, then status says so', (t) => t.is(statusText([], plainly), 'no releases'));
test('given plans, then the step summary reads as the golden file', (t) => matchesGolden(t, 'summary.md', stepSummary([plan, idle])));

test('given a Secret to create, then no output carries its value', (t) => {
  const given = { ...plan, steps: [{ do: 'create', cluster: 'here', object: secret } as const] };
  const texts = [planText(given, coloured), JSON.stringify(planJson(given)), stepSummary([given])];
  t.deepEqual(
    texts.filter((text) => text.includes('aHVudGVyMg')),
    [],
  );
  t.regex(texts[1] ?? '', /"token":"\*\*\*"/);
});

test('given escape sequences in a live value or a sentence, then they do not reach the terminal', (t) => {
  const given = {
    ...plan,
    notes: ['\u001b[2J\u001b]0;owned\u0007'],
    decisions: { here: { to: 'stop', because: 'x\u001b[1A\u009b2K' } as const },
  };
  for (const style of [plainly, coloured]) t.false(/\u001b\[2J|\u001b\]|\u0007|\u001b\[1A|\u009b/.test(planText(given, style)));
});
