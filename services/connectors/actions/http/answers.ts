import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ActionAnswer } from '../action.port.ts';
import type { Answer } from '../../segments/segment-service.ts';

const idPath = z.object({ id: z.string() });

export function idOf(request: FastifyRequest): string {
  return idPath.parse(request.params).id;
}

/** Returns the body's bytes as received. */
export function bodyOf({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

export function send(reply: FastifyReply, answer: Answer<object> | ActionAnswer): FastifyReply {
  if (answer.ok) return reply.code('isAccepted' in answer ? 202 : 200).send(answer.value);
  const { status, code, message, retryAfterSeconds } = answer.refusal;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return problem(reply, status, code, message);
}

export function problem(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ code, message });
}
