import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const templatesSearch = z.object({ text, cursor: text });
