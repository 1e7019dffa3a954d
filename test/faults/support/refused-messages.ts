import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Trial } from './trial.ts';

const logLine = z.object({ msg: z.string(), topic: z.string().optional(), messages: z.int().optional() });

/** Messages to next steps that a worker could not publish and left to the sweeper, by topic, as its log says. */
export function refusedMessages({ muster }: Pick<Trial, 'muster'>, worker: string): Map<string, number> {
  const log = readFileSync(muster.services.get(worker)?.logFile ?? '', 'utf8');
  const refused = new Map<string, number>();
  for (const line of log.trimEnd().split('\n')) {
    const { msg, topic = '', messages = 0 } = logLine.parse(JSON.parse(line));
    if (!msg.startsWith('next steps cannot be published')) continue;
    refused.set(topic, (refused.get(topic) ?? 0) + messages);
  }
  return refused;
}
