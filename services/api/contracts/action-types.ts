import { z } from 'zod';
import { actionTypeConfig } from '../../../shared/contracts/engine-config.ts';

/** What a chain may be made of. Where its endpoint is and how it is called stays inside. */
export const actionType = z
  .object({
    name: z.string(),
    class: actionTypeConfig.shape.class.describe('What the endpoint keeps about its effects'),
    countries: z.array(z.string()),
  })
  .meta({ id: 'ActionType' });

export type ActionType = z.infer<typeof actionType>;
