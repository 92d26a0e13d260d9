import test from 'ava';
import { mergeSchemaOf } from '../../../src/merge/schema.ts';
import type { MergeField, MergeSchema } from '../../../src/merge/types.ts';
import { apps, core, schemaFor } from './schemas.ts';

const deployment = schemaFor({ apiVersion: 'apps/v1', kind: 'Deployment' });

function fieldAt(schema: MergeSchema | undefined, ...path: readonly string[]): MergeField | undefined {
  const [head = '', ...rest] = path;
  const field = schema?.fields[head];
  return rest.length === 0 ? field : fieldAt(field?.of(), ...rest);
}
const rules = test.macro((t, path: string, rule: Omit<MergeField, 'of'>) => {
  const { of: _, ...found } = fieldAt(deployment, ...path.split('.')) ?? { of: () => undefined };
  t.deepEqual<unknown, unknown>(found, rule);
});
const containers = 'spec.template.spec.containers';
test('given containers, then they merge by name', rules, containers, { strategies: ['merge'], key: 'name', listMapKeys: ['name'] });
test('given volumes, then they merge by name and retain keys', rules, 'spec.template.spec.volumes', {
  strategies: ['merge', 'retainKeys'],
  key: 'name',
  listMapKeys: ['name'],
});
test('given container ports, then the list has two keys', rules, `${containers}.ports`, {
  strategies: ['merge'],
  key: 'containerPort',
  listMapKeys: ['containerPort', 'protocol'],
});
test('given the strategy, then it retains keys', rules, 'spec.strategy', { strategies: ['retainKeys'] });
test('given finalizers, then they merge as a set', rules, 'metadata.finalizers', { strategies: ['merge'] });
test('given tolerations, then they are replaced whole', rules, 'spec.template.spec.tolerations', { strategies: [] });

test('given limits, then their values are quantities', (t) => {
  t.like(
    fieldAt(deployment, ...`${containers}.resources.limits`.split('.'))
      ?.of()
      .values?.(),
    { scalar: 'quantity' },
  );
});
test('given container ports, then the protocol has a default', (t) => {
  t.like(fieldAt(deployment, ...`${containers}.ports`.split('.'))?.of(), { defaults: { protocol: 'TCP' } });
});

const none = test.macro((t, openapi: unknown, apiVersion: string, kind: string) =>
  t.is(mergeSchemaOf(openapi, { apiVersion, kind }), undefined),
);
test('given a kind that is not there, then it has no merge rules', none, apps, 'apps/v1', 'Nothing');
test('given a kind of another version, then it has no merge rules', none, apps, 'apps/v2', 'Deployment');
test('given a core kind asked of another group, then it has no merge rules', none, core, 'apps/v1', 'Service');
test('given no document, then there are no merge rules', none, undefined, 'v1', 'Service');
test('given a custom resource, then it has no merge rules though its metadata has', (t) => {
  t.is(schemaFor({ apiVersion: 'example.com/v1', kind: 'Widget' }), undefined);
});
