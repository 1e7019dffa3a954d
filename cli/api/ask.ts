import { z } from 'zod';
import { ApiUnavailable, type Answer } from './api-answers.ts';
import { createExchange, parseJson, type ApiRequest, type ExchangeDeps } from './exchange.ts';

/** One request whose good answer has this shape; the answer as it came beside it. */
export type Ask = <Shape extends z.ZodType>(shape: Shape, request: ApiRequest) => Promise<Answer<z.infer<Shape>>>;

/** @throws {ApiUnavailable} also when the answer has another shape */
export function createAsk(deps: ExchangeDeps): Ask {
  const exchange = createExchange(deps);
  return async (shape, request) => {
    const response = await exchange(request);
    const raw = parseJson(await response.text());
    const parsed = shape.safeParse(raw);
    if (parsed.success) return { value: parsed.data, raw };
    const wrong = raw === undefined ? 'that is no JSON' : z.prettifyError(parsed.error);
    throw new ApiUnavailable(`${deps.baseUrl}${request.path} does not answer as Muster does: ${wrong}`);
  };
}
