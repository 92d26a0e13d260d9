import { unreachable } from '../errors.ts';
import type { Request } from '../plan/types.ts';
import { fit, prose } from './markdown.ts';
import { changes, evidence, files, merging, picture, stopping } from './request-sections.ts';

/** GitHub refuses 65,536 characters and more; what is left is room for people's edits. */
const BODY_LIMIT = 58_000;
/** What a phone and `git log --oneline` show of a title. */
const TITLE_LIMIT = 72;

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
  /** Commit message: title, a sentence, and trailers that say what the commit is for. */
  readonly message: string;
}

/** The words of a request: what changes, why now, what was seen, what merging does and how to stop it. */
export function pullRequestText(request: Request): PullRequestText {
  const title = titleOf(request);
  const body = fit(
    [
      { title: '', lines: [`**${prose(request.release)}**: ${prose(request.evidence.because)}`] },
      { title: '', lines: picture(request) },
      { title: 'What merging does', lines: merging(request) },
      { title: 'What changes', lines: changes(request.evidence) },
      { title: 'What was seen', lines: evidence(request) },
      { title: 'Files', lines: files(request) },
      { title: 'How to stop it', lines: stopping(request) },
    ],
    BODY_LIMIT,
  );
  const message = [title, oneLine(request.evidence.because), trailers(request).join('\n')].filter((part) => part !== '').join('\n\n');
  return { title, body, message: `${message}\n` };
}

function titleOf({ kind, release, evidence: { candidate, stable, weight, nextWeight } }: Request): string {
  const text = () => {
    switch (kind) {
      case 'record':
        return `${release}: record ${stable?.revision ?? candidate?.revision ?? 'what runs'} as stable`;
      case 'advance':
        return `${release}: canary ${weight ?? 0} % → ${nextWeight ?? 100} % (${candidate?.revision ?? 'head'})`;
      case 'promote':
        return `${release}: promote ${candidate?.revision ?? 'the canary'} to stable`;
      case 'rollback':
        return `${release}: roll back ${candidate?.revision ?? 'the canary'}`;
      default:
        return unreachable(kind);
    }
  };
  const line = oneLine(text());
  return line.length <= TITLE_LIMIT ? line : `${line.slice(0, TITLE_LIMIT - 1)}…`;
}

/** Read back by `git interpret-trailers --parse`. */
function trailers({ kind, release, evidence }: Request): string[] {
  const revision = evidence.candidate?.revision ?? evidence.stable?.revision;
  const step = evidence.nextWeight ?? evidence.weight;
  return [
    `Serin-Release: ${oneLine(release)}`,
    ...(revision === undefined ? [] : [`Serin-Revision: ${revision}`]),
    ...(step === undefined ? [] : [`Serin-Step: ${step}`]),
    `Serin-Kind: ${kind}`,
  ];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
