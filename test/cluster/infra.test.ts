import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { parseDocuments } from '../../src/desired/yaml.ts';
import { at } from '../../src/objects.ts';

const folder = join(import.meta.dirname, '..', '..', 'infra', 'kubernetes');

/** Runs kubectl against the lab that this test runs in. */
const kubectl = async (...args: string[]) => promisify(execFile)('kubectl', args);

/** The namespaces must be there for a dry run of what lies in them: a dry run makes none. */
async function namespaces(...names: string[]): Promise<void> {
  for (const name of names) await kubectl('create', 'namespace', name).catch((error: Error) => ignoreExisting(error));
}

function ignoreExisting(error: Error): void {
  if (!error.message.includes('AlreadyExists')) throw error;
}

test.serial(
  'given the manifests of infra/kubernetes, when a real API server looks at them, then it takes every one without a warning',
  async (t) => {
    await namespaces('serin', 'shop');
    await kubectl('label', '--overwrite', 'namespace', 'serin', 'pod-security.kubernetes.io/warn=restricted');
    const { stdout, stderr } = await kubectl('apply', '--kustomize', folder, '--dry-run=server', '--validate=strict');
    t.regex(stdout, /^cronjob\.batch\/serin created \(server dry run\)$/m);
    t.regex(stdout, /^clusterrole\.rbac\.authorization\.k8s\.io\/serin-release created \(server dry run\)$/m);
    t.regex(stdout, /^rolebinding\.rbac\.authorization\.k8s\.io\/serin-release created \(server dry run\)$/m);
    t.notRegex(stderr, /would violate|unknown field|deprecated/i);
  },
);

test.serial(
  'given those rights, when the API server is asked what the ServiceAccount may do, then it is what serin does and no more',
  async (t) => {
    await namespaces('serin', 'shop', 'elsewhere');
    // Without the CronJob: nothing here shall start a tick.
    for (const file of ['service-account.yaml', 'role.yaml', 'release-binding.yaml'])
      await kubectl('apply', '--filename', join(folder, file));
    t.teardown(async () => {
      await kubectl('delete', 'clusterrole', 'serin-release');
      await kubectl('delete', '--namespace', 'shop', 'rolebinding', 'serin-release');
    });
    const may = async (verb: string, resource: string, namespace: string) => {
      const asked = kubectl('auth', 'can-i', verb, resource, '--namespace', namespace, '--as', 'system:serviceaccount:serin:serin');
      // kubectl answers no with exit code 1.
      return (await asked.catch((error: { stdout: string }) => error)).stdout.trim();
    };
    t.is(await may('patch', 'deployments.apps', 'shop'), 'yes');
    t.is(await may('delete', 'services', 'shop'), 'yes');
    t.is(await may('patch', 'httproutes.gateway.networking.k8s.io', 'shop'), 'yes');
    t.is(await may('list', 'pods', 'shop'), 'yes');
    t.is(await may('delete', 'pods', 'shop'), 'no');
    t.is(await may('watch', 'deployments.apps', 'shop'), 'no');
    t.is(await may('create', 'rolebindings.rbac.authorization.k8s.io', 'shop'), 'no');
    t.is(await may('get', 'secrets', 'serin'), 'no');
    t.is(await may('list', 'deployments.apps', 'elsewhere'), 'no');
  },
);

test.serial('given the CronJob, then two ticks never overlap and a late one is not piled up', async (t) => {
  const { stdout } = await kubectl('kustomize', folder);
  const job = parseDocuments('infra', stdout).find((document) => at(document, 'kind') === 'CronJob');
  t.is(at(job, 'spec', 'concurrencyPolicy'), 'Forbid');
  t.is(at(job, 'spec', 'jobTemplate', 'spec', 'backoffLimit'), 0);
  // Below ten seconds the controller, which looks every ten, may never start it.
  t.true(Number(at(job, 'spec', 'startingDeadlineSeconds')) >= 10);
  t.true(Number(at(job, 'spec', 'jobTemplate', 'spec', 'activeDeadlineSeconds')) < 60);
});
