import { z } from 'zod';
import { openConsoles, type OpenConsoles } from './open-consoles.ts';

/**
 * A process that has consoles open by its parent's orders, so that what they read delays nothing that the parent
 * measures.
 */
export const consolesOrder = z.discriminatedUnion('order', [
  z.object({
    order: z.literal('open'),
    url: z.string(),
    consoles: z.array(
      z.object({
        cookie: z.string(),
        stream: z.string(),
        asks: z.array(z.object({ path: z.string(), everyMs: z.number() })).readonly(),
      }),
    ),
  }),
  z.object({ order: z.literal('close') }),
]);

export type ConsolesOrder = z.infer<typeof consolesOrder>;

let opened: OpenConsoles | undefined;

async function obey(message: unknown): Promise<unknown> {
  const told = consolesOrder.parse(message);
  if (told.order === 'open') {
    opened = await openConsoles(told.url, told.consoles);
    return 'open';
  }
  const heard = opened?.heard();
  opened?.close();
  return heard;
}

process.on('message', (message) => {
  obey(message).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
