import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST, hostUrl, PORTS } from './addresses.ts';
import { executable } from './parts.ts';
import type { Start } from './processes.ts';

/** Scrapes every running pod with a port each second; series carry namespace, pod, and the pod's labels as label_*. */
function config(): object {
  return {
    global: { scrape_interval: '1s', scrape_timeout: '900ms', evaluation_interval: '10s' },
    scrape_configs: [{ job_name: 'pods', http_sd_configs: [{ url: `${hostUrl('targets')}/targets`, refresh_interval: '1s' }] }],
  };
}

/** Waits for the program to be there (it may still be building outside), starts it, and returns when it answers. */
export async function startPrometheus(run: string, path: string, start: Start, signal: AbortSignal): Promise<void> {
  while (!executable(path)) await sleep(250, undefined, { signal });
  const file = join(run, 'prometheus.yml');
  writeFileSync(file, JSON.stringify(config()));
  start('prometheus', [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(run, 'prometheus')}`,
    '--storage.tsdb.retention.time=6h',
    `--web.listen-address=${HOST}:${PORTS.prometheus}`,
    '--log.level=warn',
    // New pods are scraped a second after they are found, not the usual five.
    '--scrape.discovery-reload-interval=1s',
  ]);
  for (;;) {
    const ready = await fetch(`${hostUrl('prometheus')}/-/ready`, { signal }).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return;
    await sleep(100, undefined, { signal });
  }
}
