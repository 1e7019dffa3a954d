import { z } from 'zod';

/** Any value. */
export const json = z.json().register(z.globalRegistry, { id: 'JsonValue' });
