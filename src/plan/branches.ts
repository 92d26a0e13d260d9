import type { Request } from './types.ts';

/** A branch name is a request's key: creating the ref is the mutex, so the name holds everything that makes the request another one. */
export function branchOf(kind: Request['kind'], release: string, key: readonly (string | number)[]): string {
  return `serin/${kind}/${release}--${key.join('--')}`;
}

/** serin/advance/shop--81b7aa01--eu-50--1 is of release shop. */
export function isOf(branch: string, release: string): boolean {
  const [serin, , rest] = branch.split('/');
  return serin === 'serin' && rest !== undefined && rest.startsWith(`${release}--`);
}

export function kindOf(branch: string): string | undefined {
  return branch.split('/')[1];
}
