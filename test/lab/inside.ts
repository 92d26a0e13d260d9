/**
 * The lab from within: the first process of its namespaces. Brings all parts up, tells one JSON event a line on its standard output, and lives as long as its
 * standard input is open: when whoever started it is gone, killed or not, so is this process, and with it, by the kernel, every other one in the namespace.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { hostUrl, POD_NETWORK } from './addresses.ts';
import { startControlPlane } from './control-plane.ts';
import { installGateway, startGateway } from './gateway.ts';
import type { LabEvent, Order } from './lab.ts';
import { startNodeAgent } from './node-agent.ts';
import { lastWords, starter } from './processes.ts';
import { startPrometheus } from './prometheus.ts';

const tell = (event: LabEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);
const order = JSON.parse(process.argv[2] ?? '') as Order;

const leave = () => {
  if (order.forget !== undefined) rmSync(order.forget, { force: true });
  process.exit();
};
process.stdin.resume().once('end', leave).once('error', leave);

try {
  await up();
} catch (cause) {
  tell({ event: 'failed', message: [(cause as Error).message, ...lastWords(order.run)].join('\n') });
  process.exitCode = 1;
  process.stdout.once('drain', () => process.exit());
  setTimeout(() => process.exit(), 200);
}

async function up(): Promise<void> {
  // Before /proc is our own: the number by which the outside knows this process.
  const pid = Number(readlinkSync('/proc/self'));
  const began = performance.now();
  prepare(order.run);
  const start = starter(order.run, order.parts, (message) => tell({ event: 'part-ended', message }));
  const { api, kubeconfig } = await startControlPlane(order.run, start);
  const signal = new AbortController().signal;
  await startNodeAgent(api, signal);
  await installGateway(api);
  await startGateway(api, signal);
  tell({ event: 'up', pid, seconds: (performance.now() - began) / 1000, env: environment(order, kubeconfig) });
  await startPrometheus(order.run, order.parts['prometheus'] ?? 'prometheus', start, signal);
  tell({ event: 'prometheus-up', seconds: (performance.now() - began) / 1000 });
}

/** A network of our own in which all pod addresses are local, and a folder in memory that ends with us. */
function prepare(run: string): void {
  sh('ip', 'link', 'set', 'lo', 'up');
  sh('ip', 'route', 'add', 'local', POD_NETWORK, 'dev', 'lo');
  sh('mount', '-t', 'tmpfs', '-o', 'mode=0755', 'serin-lab', run);
  // Some containers do not allow it; then process numbers in /proc are the outside's, which only people would notice.
  refusal('mount', '-t', 'proc', 'proc', '/proc');
  mkdirSync(join(run, 'bin'));
  mkdirSync(join(run, 'tmp'));
  for (const [name, path] of Object.entries(order.parts)) symlinkSync(path, join(run, 'bin', name));
}

function sh(...command: readonly string[]): void {
  const why = refusal(...command);
  if (why !== undefined) throw new Error(`${command.join(' ')}: ${why}`);
}

/** Why the command failed, or undefined when it did not. */
function refusal(program = '', ...args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function environment({ run, path }: Order, kubeconfig: string): Readonly<Record<string, string>> {
  return {
    KUBECONFIG: kubeconfig,
    SERIN_LAB: '1',
    SERIN_LAB_PROMETHEUS: hostUrl('prometheus'),
    SERIN_LAB_GATEWAY: hostUrl('gateway'),
    SERIN_LAB_GATEWAY_STATS: `${hostUrl('gatewayStats')}/stats`,
    SERIN_LAB_LOGS: join(run, 'logs'),
    TMPDIR: join(run, 'tmp'),
    PATH: [join(run, 'bin'), path].join(delimiter),
  };
}
