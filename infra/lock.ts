/**
 * npm run lock: completes package-lock.json with the optional packages of other platforms.
 * npm leaves out those that the registry at hand does not offer, and then `npm ci` refuses the lock as incomplete. They are named here with the exact version that
 * their owner asks for, and with the platform that their name says, so that nobody else installs them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export type Packages = Readonly<Record<string, Entry>>;

const SYSTEMS: Readonly<Record<string, string>> = {
  aix: 'aix',
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  netbsd: 'netbsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
  sunos: 'sunos',
  win32: 'win32',
};
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];
const LIBRARIES: Readonly<Record<string, string>> = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** Optional packages for a platform that packages of the lock name with an exact version, and that the lock does not have. */
export function missing(packages: Packages): Packages {
  const named = Object.values(packages).flatMap(({ optionalDependencies = {}, dev = false }) =>
    Object.entries(optionalDependencies).map(([name, version]) => ({ name, version, dev })),
  );
  const absent = named.filter(({ name, version }) => /^\d+\.\d+\.\d+$/.test(version) && packages[`node_modules/${name}`] === undefined);
  return Object.fromEntries(absent.flatMap(({ name, ...rest }) => platformEntry(name, rest)));
}

function platformEntry(name: string, { version, dev }: { version: string; dev: boolean }): [string, Entry][] {
  const words = name.split(/[-/]/);
  const one = (field: string, value: string | undefined) => (value === undefined ? {} : { [field]: [value] });
  const os = words.map((word) => SYSTEMS[word]).find(Boolean);
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (os === undefined || cpu === undefined) return [];
  const libc = words.map((word) => LIBRARIES[word]).find(Boolean);
  return [
    [
      `node_modules/${name}`,
      { version, ...one('cpu', cpu), ...(dev ? { dev } : {}), ...one('libc', libc), optional: true, ...one('os', os) },
    ],
  ];
}

async function main(file: URL): Promise<void> {
  const lock = JSON.parse(await readFile(file, 'utf8')) as { packages: Packages };
  const added = missing(lock.packages);
  const sorted = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  await writeFile(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);
  console.log(`${Object.keys(added).length} packages of other platforms added`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(new URL('../package-lock.json', import.meta.url));
