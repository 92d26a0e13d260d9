import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoOptions } from './options.ts';

export const VERSIONS = { first: '1.0.0', good: '1.1.0', bad: '1.2.0' } as const;
export const DEPLOYMENT = 'releases/shop/deployment.yaml';
export const REPOSITORY = 'acme/deploy';
export const NAMESPACE = 'shop';
export const HOSTNAME = 'shop.example.com';
const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'shop');

/** The example's files with the demo's numbers in them. */
export function shopFiles({ steps, replicas }: DemoOptions, prometheus: string): Record<string, string> {
  const names = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = Object.fromEntries(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(EXAMPLE.length + 1), readFileSync(path, 'utf8')];
    }),
  );
  edit(files, 'serin.yaml', /url: "[^"]*"/, `url: "${prometheus}"`);
  edit(files, DEPLOYMENT, /replicas: \d+/, `replicas: ${replicas}`);
  edit(files, 'releases/shop/release.yaml', /steps: .*/, `steps: [${steps.map((weight) => `{weight: ${weight}, hold: 3s}`).join(', ')}]`);
  return files;
}

/** The same Deployment with another image, and with the share of requests that it shall fail. */
export function withVersion(deployment: string, version: string, errorRate = 0): string {
  const files = { [DEPLOYMENT]: deployment.replace(/\n +env: \[.*/, '') };
  const env = errorRate === 0 ? '' : `\n          env: [{name: ERROR_RATE, value: "${errorRate}"}]`;
  return edit(files, DEPLOYMENT, /image: example\.com\/shop:\S+/, `image: example.com/shop:${version}${env}`);
}

function edit(files: Record<string, string>, file: string, from: RegExp, to: string): string {
  const text = files[file] ?? '';
  if (!from.test(text)) throw new Error(`examples/shop/${file} has no ${from.source} to change`);
  files[file] = text.replace(from, () => to);
  return files[file];
}
