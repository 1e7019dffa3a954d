import { z } from 'zod';

/** Any JSON value. */
export const json = z.json().register(z.globalRegistry, { id: 'JsonValue' });
