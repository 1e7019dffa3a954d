import { z } from 'zod';

export const json = z.json().register(z.globalRegistry, { id: 'JsonValue' });
