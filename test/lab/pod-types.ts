import type { KubeObject } from '../../src/objects.ts';

/** The fields of a pod that the node agent reads; as the API server sends them. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly initContainers?: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly volumes?: readonly Volume[];
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly ports?: readonly { readonly containerPort: number; readonly name?: string }[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly lifecycle?: {
    readonly preStop?: { readonly sleep?: { readonly seconds: number }; readonly exec?: { readonly command?: readonly string[] } };
  };
}

export interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string; readonly optional?: boolean };
  readonly secret?: { readonly secretName: string; readonly optional?: boolean };
}

export interface KeyRef {
  readonly name: string;
  readonly key: string;
  readonly optional?: boolean;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyRef;
    readonly secretKeyRef?: KeyRef;
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean };
  readonly secretRef?: { readonly name: string; readonly optional?: boolean };
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

/** Now, as Kubernetes writes moments. */
export function timestamp(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
