/**
 * node test/lab/crds/cut.ts FOLDER: writes the CRDs that the lab installs from a folder of the Gateway API's own
 * (config/crd/standard of the Go module sigs.k8s.io/gateway-api), without their descriptions: a fifth of the size, the same rules.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';

const ORIGIN =
  '# From sigs.k8s.io/gateway-api, Copyright The Kubernetes Authors, Apache-2.0. Descriptions cut by crds/cut.ts; not to be edited.\n';

function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => !(key === 'description' && typeof inner === 'string'));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}

const from = process.argv[2];
if (from === undefined) throw new Error('usage: node test/lab/crds/cut.ts FOLDER');
for (const plural of ['gatewayclasses', 'gateways', 'httproutes', 'referencegrants']) {
  const crd = withoutDescriptions(load(readFileSync(join(from, `gateway.networking.k8s.io_${plural}.yaml`), 'utf8')));
  writeFileSync(join(import.meta.dirname, `${plural}.yaml`), ORIGIN + dump(crd, { lineWidth: -1, noRefs: true }));
}
