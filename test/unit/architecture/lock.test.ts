import { readFile } from 'node:fs/promises';
import test from 'ava';
import { missing, type Packages } from '../../../infra/lock.ts';

const lock = async () => {
  const text = await readFile(new URL('../../../package-lock.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { packages: Packages }).packages;
};

test('given the lock file, then it names the packages of every platform, for without them npm ci refuses it (npm run lock adds them)', async (t) => {
  t.deepEqual(Object.keys(missing(await lock())), []);
});

test('given the lock file, then it names no host: everybody installs from the registry that they use', async (t) => {
  const hosts = Object.entries(await lock()).filter(([, entry]) => /^https?:/.test((entry as { resolved?: string }).resolved ?? ''));
  t.deepEqual(
    hosts.map(([name]) => name),
    [],
  );
});

test('given a package for another platform that is not there, then it is added for that platform only', (t) => {
  const packages: Packages = {
    'node_modules/tool': {
      version: '2.0.0',
      dev: true,
      optionalDependencies: { '@tool/linux-x64': '2.0.0', '@tool/linux-arm-musleabihf': '2.0.0', watcher: '^1.0.0' },
    },
    'node_modules/@tool/linux-x64': { version: '2.0.0' },
  };
  t.deepEqual(missing(packages), {
    'node_modules/@tool/linux-arm-musleabihf': { version: '2.0.0', cpu: ['arm'], dev: true, libc: ['musl'], optional: true, os: ['linux'] },
  });
});
