import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { signatureHeaders, webhookKeyOf, webhookSecretForm } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { command } from '../frame/command-table.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { verifyAll } from './verify.ts';

const isAnchorUrl = (text: string) => {
  const url = URL.parse(text);
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
  );
};

export const anchorEnvironment = z.object({
  MUSTER_ANCHOR_URL: z
    .string({ error: 'the webhook that keeps the hash' })
    .refine(isAnchorUrl, 'has to be an https:// URL')
    .describe('Webhook to which `muster audit anchor` posts the hash of the last entry'),
  MUSTER_ANCHOR_SECRET: z
    .string()
    .refine((text) => webhookKeyOf(text) !== undefined, `has to be ${webhookSecretForm}`)
    .optional()
    .describe('Secret that signs this webhook (Standard Webhooks)'),
});

const timeoutMs = 30_000;

type Verified = Awaited<ReturnType<typeof verifyAll>>;

export const anchor = command({
  name: 'anchor',
  description: 'verify the audit log, and post the hash of its last entry to MUSTER_ANCHOR_URL; for a daily job',
  ask: async ({ client, context }) => {
    const to = readEnvironment(anchorEnvironment, context.environment);
    const found = await verifyAll(client);
    return { data: { ...found, refused: await post(to, found) } };
  },
  render: ({ to, broken, refused }, { paint }) =>
    [
      ...(broken ? [paint.bad(`Entry ${broken.number} is ${broken.what}: ${broken.because}`)] : []),
      refused === null
        ? paint.good(`Entry ${to.number} is anchored: ${to.number}:${to.hash}`)
        : paint.bad(`Entry ${to.number} is not anchored: ${refused}`),
      '',
    ].join('\n'),
  code: ({ broken, refused }) => (broken === null && refused === null ? exitCodes.ok : exitCodes.failure),
});

/** Returns why the webhook refused the anchor, or null. Omits the URL's path, which may be a secret. */
async function post(to: z.output<typeof anchorEnvironment>, found: Verified): Promise<string | null> {
  const now = new Date();
  const body = Buffer.from(JSON.stringify({ type: 'audit.anchor', timestamp: now.toISOString(), data: found }));
  const key = to.MUSTER_ANCHOR_SECRET === undefined ? undefined : webhookKeyOf(to.MUSTER_ANCHOR_SECRET);
  const headers = new Headers({ 'content-type': 'application/json', 'user-agent': 'muster' });
  const signed = key ? signatureHeaders(key, `anc_${randomUUID()}`, now, body) : [];
  for (let place = 0; place < signed.length; place += 2) headers.set(signed[place] ?? '', signed[place + 1] ?? '');
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(to.MUSTER_ANCHOR_URL, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.body?.cancel();
    return answer.ok ? null : `the webhook answered ${answer.status}`;
  } catch {
    return `${new URL(to.MUSTER_ANCHOR_URL).host} does not answer`;
  }
}
