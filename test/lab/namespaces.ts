import { spawnSync } from 'node:child_process';
import { SerinError } from '../../src/errors.ts';

const OWN = ['--net', '--pid', '--mount', '--fork', '--kill-child'] as const;

/** How this process may make namespaces: as root directly, as anyone else within a user namespace of its own. */
export interface Namespaces {
  /** Put before a program and its arguments: runs it in new namespaces, which end when `unshare` does. */
  readonly make: readonly string[];
  /** Put before a program and its arguments: runs it in the namespaces of that process. */
  enter(pid: number): readonly string[];
}

/** @throws SerinError E_LAB_NAMESPACES with what to install or to allow */
export function namespaces(): Namespaces {
  need('ip', 'iproute2');
  need('unshare', 'util-linux');
  const plain = ['unshare', ...OWN];
  const mapped = ['unshare', '--map-root-user', ...OWN];
  if (process.getuid?.() === 0 && tries(plain) === undefined) return { make: plain, enter: (pid) => nsenter(pid) };
  const refused = tries(mapped);
  if (refused === undefined) return { make: mapped, enter: (pid) => [...nsenter(pid), '--user', '--preserve-credentials'] };
  throw new SerinError('E_LAB_NAMESPACES', `the lab needs a network namespace of its own, and this machine refuses one: ${refused}`, {
    hint:
      'allow user namespaces (Ubuntu: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0; others: sudo sysctl -w user.max_user_namespaces=10000),' +
      ' or run as root; in a container: give it CAP_SYS_ADMIN and CAP_NET_ADMIN',
    retry: 'never',
  });
}

function nsenter(pid: number): readonly string[] {
  return ['nsenter', `--target=${pid}`, '--net', '--pid', '--mount'];
}

/** What stands in the way, or undefined. */
function tries([program = '', ...args]: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, [...args, 'ip', 'link', 'set', 'lo', 'up'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function need(program: string, from: string): void {
  if (spawnSync(program, ['-V'], { stdio: 'ignore' }).error === undefined) return;
  throw new SerinError('E_LAB_NAMESPACES', `the lab needs the program ${program} (Linux only), and it is not on PATH`, {
    hint: `install the package ${from}, for example: sudo apt-get install ${from}`,
    retry: 'never',
  });
}
