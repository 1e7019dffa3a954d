import type { Check } from '../../../shared/infrastructure/doctor.ts';
import { answersTcp } from '../../../shared/infrastructure/tcp.ts';

/** Checks that the called services accept connections; `muster check-endpoint` checks their answers. */
export async function checkEndpoints(services: readonly { url: string }[]): Promise<Check[]> {
  if (services.length === 0) return [];
  const origins = [...new Set(services.map(({ url }) => new URL(url).origin))];
  const answered = await Promise.all(
    origins.map(async (origin) => ({ origin, answers: await answersTcp(...placeOf(new URL(origin))) })),
  );
  const silent = answered.filter(({ answers }) => !answers).map(({ origin }) => origin);
  const found =
    silent.length === 0 ? `connections are taken at ${origins.join(', ')}` : `nobody answers at ${silent.join(', ')}`;
  const fix = 'start what is called, or correct its url in MUSTER_CONFIG; then muster check-endpoint';
  return [{ name: 'endpoints', ok: silent.length === 0, found, fix }];
}

function placeOf({ protocol, hostname, port }: URL): [host: string, port: number] {
  const usual = protocol === 'https:' ? 443 : 80;
  return [hostname.replace(/^\[(.*)\]$/, '$1'), port === '' ? usual : Number(port)];
}
