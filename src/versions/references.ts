/** Kinds that a pod template names and that may be content-named. */
export type ConfigKind = 'ConfigMap' | 'Secret';
export type Rename = (kind: ConfigKind, name: string) => string;

type Fields = Readonly<Record<string, unknown>>;

/**
 * A pod spec with every name of a ConfigMap or Secret passed through `rename`: env, envFrom, volumes, projected sources and
 * imagePullSecrets, of containers, init containers and ephemeral containers. See PodSpec in the Kubernetes API reference.
 */
export function renameInPodSpec(spec: unknown, rename: Rename): unknown {
  return edit(spec, {
    containers: each((c) => container(c, rename)),
    initContainers: each((c) => container(c, rename)),
    ephemeralContainers: each((c) => container(c, rename)),
    volumes: each((v) => volume(v, rename)),
    imagePullSecrets: each((s) => named(s, 'name', 'Secret', rename)),
  });
}

function container(value: unknown, rename: Rename): unknown {
  return edit(value, {
    env: each((variable) =>
      edit(variable, {
        valueFrom: (from) =>
          edit(from, {
            configMapKeyRef: (ref) => named(ref, 'name', 'ConfigMap', rename),
            secretKeyRef: (ref) => named(ref, 'name', 'Secret', rename),
          }),
      }),
    ),
    envFrom: each((source) => source_(source, rename, 'configMapRef', 'secretRef')),
  });
}

function volume(value: unknown, rename: Rename): unknown {
  return edit(value, {
    configMap: (ref) => named(ref, 'name', 'ConfigMap', rename),
    secret: (ref) => named(ref, 'secretName', 'Secret', rename),
    projected: (projected) => edit(projected, { sources: each((source) => source_(source, rename, 'configMap', 'secret')) }),
  });
}

function source_(value: unknown, rename: Rename, configMap: string, secret: string): unknown {
  return edit(value, {
    [configMap]: (ref) => named(ref, 'name', 'ConfigMap', rename),
    [secret]: (ref) => named(ref, 'name', 'Secret', rename),
  });
}

function named(value: unknown, field: string, kind: ConfigKind, rename: Rename): unknown {
  return edit(value, { [field]: (name) => (typeof name === 'string' ? rename(kind, name) : name) });
}

/** The object with some of its fields passed through functions; whatever is not there stays away. */
export function edit(value: unknown, fields: Readonly<Record<string, (field: unknown) => unknown>>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const here = value as Fields;
  const edited = Object.entries(fields).flatMap(([field, change]) =>
    here[field] === undefined ? [] : [[field, change(here[field])] as const],
  );
  return { ...here, ...Object.fromEntries(edited) };
}

function each(change: (item: unknown) => unknown): (list: unknown) => unknown {
  return (list) => (Array.isArray(list) ? list.map(change) : list);
}
