import { setTimeout as sleep } from 'node:timers/promises';
import { type Person, person, type SeenPullRequest } from '../github/person.ts';
import { now, type Tell } from './events.ts';
import { REPOSITORY } from './shop.ts';

/** How long a person looks at a green pull request before merging it. */
const READS_MS = 700;
const LOOKS_EVERY_MS = 250;

/** Somebody who merges what serin proposes once serin/gates is green, through GitHub's REST API as anybody would. */
export async function review(url: string, tell: Tell, signal: AbortSignal): Promise<void> {
  const mia = person({ url, repository: REPOSITORY, name: 'mia' });
  const shown = new Set<number>();
  while (!signal.aborted) {
    for (const request of (await mia.pullRequests()).filter(({ head }) => head.ref.startsWith('serin/'))) {
      if (!shown.has(request.number)) await show(mia, request, tell);
      shown.add(request.number);
      if (await isGreen(mia, request)) await merge(mia, request, tell, signal);
    }
    await sleep(LOOKS_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function show(mia: Person, { number, title, html_url: url, head }: SeenPullRequest, tell: Tell): Promise<void> {
  const files = await mia.files(number);
  const lines = files.flatMap(({ filename, patch }) => [filename, ...changed(patch)]);
  tell({ time: now(), event: 'pull-request-diff', number, title, lines });
  if (head.ref.startsWith('serin/rollback/')) tell({ time: now(), event: 'rollback-proposed', number, title, url });
}

/** The changed lines of a unified diff. */
function changed(patch: string | undefined): string[] {
  return (patch ?? '').split('\n').filter((line) => /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line));
}

async function isGreen(mia: Person, { head }: SeenPullRequest): Promise<boolean> {
  return (await mia.statuses(head.sha)).some(({ context, state }) => context === 'serin/gates' && state === 'success');
}

/** It may have been closed or have turned red in the meantime: then the next look sees what is there. */
async function merge(mia: Person, request: SeenPullRequest, tell: Tell, signal: AbortSignal): Promise<void> {
  await sleep(READS_MS, undefined, { signal }).catch(() => undefined);
  if (signal.aborted || !(await isGreen(mia, request))) return;
  try {
    await mia.mergePullRequest(request.number);
  } catch {
    return;
  }
  tell({ time: now(), event: 'pull-request-merged', number: request.number, title: request.title, by: 'mia' });
}
