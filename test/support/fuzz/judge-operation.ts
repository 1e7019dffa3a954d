import type { HttpServer } from '../../../services/api/frame/server/create-http-server.ts';
import { createJudge, type Answer } from './judge-answer.ts';
import { operationsOf, readDocument } from './operations.ts';

/** Returns a judge of the answers of one operation, by the server's own OpenAPI document. */
export async function judgeOperation(
  server: Pick<HttpServer, 'inject'>,
  operationId: string,
): Promise<(answer: Answer) => string[]> {
  const document = readDocument((await server.inject('/openapi.json')).json());
  const operation = operationsOf(document).find((each) => each.operationId === operationId);
  if (operation === undefined) throw new Error(`the document has no operation ${operationId}`);
  const judge = createJudge(document);
  return (answer) => judge(operation, answer);
}
