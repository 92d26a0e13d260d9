/**
 * Where everything listens. All of 10.244.0.0/16 is local to the lab's network namespace; pods get their addresses from its lower part, the lab's own
 * parts share one at its end. The API server refuses loopback addresses as endpoints, so 127.0.0.0/8 would not do.
 */
export const POD_NETWORK = '10.244.0.0/16';
export const HOST = '10.244.255.1';
export const PORTS = { api: 6443, etcd: 2379, prometheus: 9090, gateway: 8000, gatewayStats: 8001, targets: 8002 } as const;

export function hostUrl(port: keyof typeof PORTS): string {
  return `${port === 'api' ? 'https' : 'http'}://${HOST}:${PORTS[port]}`;
}

/** The nth pod's address, n from 0: 10.244.0.1 ... 10.244.254.254. Addresses are not used again before 64,000 pods have come. */
export function podAddress(n: number): string {
  const index = n % (255 * 254);
  return `10.244.${Math.floor(index / 254)}.${(index % 254) + 1}`;
}
