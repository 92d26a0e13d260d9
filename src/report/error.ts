import { InputError, mistakeLine, SerinError } from '../errors.ts';
import { paint, printable, type Style } from './style.ts';

/** What happened, and what to do next. An InputError is one line per mistake: file:line:column: expected ..., found ... */
export function errorText(error: unknown, style: Style): string {
  if (error instanceof InputError) return [...error.mistakes.map((m) => printable(mistakeLine(m))), hint(error.hint, style)].join('\n');
  if (error instanceof SerinError)
    return [headline(error.code, error.message, style), ...causes(error.cause), hint(error.hint, style)].join('\n');
  if (error instanceof Error) return [headline(error.name, error.message, style), ...causes(error.cause)].join('\n');
  return headline('error', String(error), style);
}

function headline(name: string, message: string, style: Style): string {
  return `${paint(name, 'red', style)}: ${printable(message)}`;
}

function hint(text: string, style: Style): string {
  return paint(`  what to do: ${printable(text)}`, 'dim', style);
}

/** The chain of causes, each once; a message that the one above quotes already is not said twice. */
function causes(cause: unknown, above: readonly unknown[] = []): string[] {
  if (cause === undefined || cause === null || above.includes(cause)) return [];
  if (!(cause instanceof Error)) return [`  because: ${printable(String(cause))}`];
  return [`  because: ${printable(cause.message || cause.name)}`, ...causes(cause.cause, [...above, cause])];
}
