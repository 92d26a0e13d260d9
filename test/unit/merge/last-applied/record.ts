/**
 * Records again, with the kubectl on PATH and the cluster it points at, what kubectl writes for each manifest of kubectl.json.
 *   node test/unit/merge/last-applied/record.ts
 * The cluster must serve the kind Widget of ../openapi/widgets.yaml. Nothing is written to it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { KubeObject } from '../../../../src/objects.ts';

const file = new URL('kubectl.json', import.meta.url);
const pairs = JSON.parse(readFileSync(file, 'utf8')) as readonly { title: string; manifest: KubeObject; text: string }[];
const recorded = pairs.map(({ title, manifest }) => {
  const args = ['apply', '--dry-run=client', '--validate=false', '-o', 'json', '-f', '-'];
  const answer = JSON.parse(execFileSync('kubectl', args, { input: JSON.stringify(manifest), encoding: 'utf8' })) as KubeObject;
  return { title, manifest, text: answer.metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] };
});
writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
