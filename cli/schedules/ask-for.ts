import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { ApiRefusal, type Answer } from '../api/api-answers.ts';
import { createAsk } from '../api/ask.ts';
import { exchangeFrom } from '../api/environment.ts';
import type { ApiRequest } from '../api/exchange.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { oneLine } from '../show/text.ts';

/** Waits while the API says 503, and tells that it does. */
function patientAsk({ environment, terminal }: CommandContext) {
  const onWait = (what: string) => terminal.note(`${oneLine(what)}\n`);
  return createAsk(exchangeFrom(environment, { clock: systemClock, onWait }));
}

export function askFor<Shape extends z.ZodType>(
  shape: Shape,
  path: string,
  context: CommandContext,
): Promise<Answer<z.infer<Shape>>> {
  return patientAsk(context)(shape, { method: 'GET', path });
}

/**
 * Asks for a change. A POST that is sent again is carried out once.
 * @param outcome what has become of it when it is refused
 */
export async function askToChange<Shape extends z.ZodType>(
  shape: Shape,
  request: ApiRequest,
  outcome: string,
  context: CommandContext,
): Promise<Answer<z.infer<Shape>>> {
  const known = request.method === 'POST' ? { idempotencyKey: `cli-${randomUUID()}` } : {};
  try {
    return await patientAsk(context)(shape, { ...request, ...known });
  } catch (error) {
    throw error instanceof ApiRefusal ? new ApiRefusal(error.problem, { outcome, labelOf: fieldLabel }) : error;
  }
}

/** `target.url` for `/target/url`. */
function fieldLabel(pointer: string): string {
  return pointer.replace(/^\//, '').replaceAll('/', '.');
}

export function queryOf(parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

const nested = z.record(z.string(), z.unknown());

/** `{"target.url": …}` as `{"target": {"url": …}}`. */
export function nest(fields: Record<string, unknown>): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(fields)) put(body, path.split('.'), value);
  return body;
}

function put(body: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const inner = { ...nested.safeParse(body[first]).data };
  body[first] = inner;
  put(inner, rest, value);
}
