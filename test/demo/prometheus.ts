import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, type Tell } from './events.ts';
import { StoryError } from './happenings.ts';
import { PROGRESS_FILE, type Progress } from './order.ts';

/** Waits until Prometheus answers, and tells how far its building is. @throws StoryError when it cannot be built */
export async function answering(url: string, tell: Tell, signal: AbortSignal): Promise<void> {
  let told = '';
  while (!(await isReady(url, signal))) {
    const text = await readFile(join(tmpdir(), PROGRESS_FILE), 'utf8').catch(() => '');
    if (text !== told && text !== '') {
      const progress = JSON.parse(text) as Progress;
      if ('failed' in progress) throw new StoryError(`Prometheus is there: ${progress.failed}`);
      tell({ time: now(), event: 'part', part: progress.part });
    }
    told = text;
    await sleep(500, undefined, { signal });
  }
  tell({ time: now(), event: 'prometheus-ready' });
}

function isReady(url: string, signal: AbortSignal): Promise<boolean> {
  return fetch(`${url}/-/ready`, { signal }).then(
    (answer) => answer.ok,
    () => false,
  );
}
