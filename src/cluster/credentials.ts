import type { RequestOptions } from 'node:https';
import type { ClusterAddress } from '../desired/types.ts';
import { SerinError } from '../errors.ts';

/** Where an API server is and how to be known there. Read anew whenever the server answers 401. */
export interface Credentials {
  readonly server: URL;
  /** Authorization and impersonation. Never printed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Tls;
  /** http or https proxy from the kubeconfig's proxy-url. */
  readonly proxy?: string;
}

export interface Tls {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

type KubeConfig = InstanceType<typeof import('./kube-config.ts').KubeConfig>;

/**
 * Reads the kubeconfig (the file named, else KUBECONFIG, else ~/.kube/config, else the pod's service account) and runs its exec plugin where it has one.
 * @throws SerinError E_KUBECONFIG
 */
export async function readCredentials(address: ClusterAddress, file: string | undefined): Promise<Credentials> {
  const { KubeConfig } = await import('./kube-config.ts');
  const config = new KubeConfig();
  load(config, address, file);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw refused(`context ${config.currentContext || '(none)'} names no cluster that the kubeconfig has`);
  const proxy = cluster.proxyUrl;
  if (proxy && !/^https?:/.test(proxy)) throw refused('proxy-url is not http or https');
  if (!URL.canParse(cluster.server)) throw refused(`${cluster.server} is not a server's URL`);
  const options: RequestOptions & { servername?: string } = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new SerinError('E_KUBECONFIG', `cannot get credentials for ${cluster.server}: ${sayable(error)}`, {
      hint: 'run what the kubeconfig names for this user (its exec plugin, its certificate and token files) by hand',
      retry: 'next run',
    });
  }
  return { server: new URL(cluster.server), headers: headersOf(options), tls: tlsOf(options), ...(proxy ? { proxy } : {}) };
}

function load(config: KubeConfig, address: ClusterAddress, file: string | undefined): void {
  if ('inCluster' in address) {
    if (!process.env.KUBERNETES_SERVICE_HOST)
      throw refused('inCluster is asked for, but this is no pod: KUBERNETES_SERVICE_HOST is not set');
    return config.loadFromCluster();
  }
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    throw refused(`cannot read the kubeconfig: ${sayable(error)}`);
  }
  // What client-node (as kubectl once did) makes up where it finds nothing at all.
  if (config.getCurrentCluster()?.server === 'http://localhost:8080') throw refused('there is no kubeconfig and this is no pod');
  if (address.context === undefined) return;
  if (!config.getContextObject(address.context)) {
    const known = config.getContexts().map((context) => context.name);
    throw refused(`the kubeconfig has no context ${address.context}; it has ${known.join(', ') || 'none'}`);
  }
  config.setCurrentContext(address.context);
}

/** A parser's error quotes the text around the mistake, which may be a token: only its reason and place may be said. */
function sayable(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed';
  if (error instanceof SyntaxError) return 'what came back is not valid JSON';
  if (error.name === 'YAMLException') {
    const { reason, mark } = error as Error & { reason?: string; mark?: { line?: number } };
    return `${reason ?? 'not valid YAML'}${mark?.line === undefined ? '' : ` in line ${mark.line + 1}`}`;
  }
  return error.message.trim().slice(0, 300);
}

function refused(message: string): SerinError {
  return new SerinError('E_KUBECONFIG', message, {
    hint: 'mend KUBECONFIG or the cluster in serin.yaml; `kubectl config get-contexts` shows what there is',
    retry: 'never',
  });
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) if (typeof value === 'string') all[name.toLowerCase()] = value;
  if (auth && !all.authorization) all.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
  return all;
}

function tlsOf({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions & { servername?: string }): Tls {
  return {
    ...(ca ? { ca: ca as Buffer } : {}),
    ...(cert ? { cert: cert as Buffer } : {}),
    ...(key ? { key: key as Buffer } : {}),
    ...(servername ? { servername } : {}),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}
