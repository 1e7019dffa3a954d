import { addClientEndpointKey, createClientEndpoint } from './generated/sdk.gen.ts';
import { MusterProblem, type Muster } from './muster.ts';

export interface RemindersTerms {
  muster: Muster;
  /** Name or id of the team's client in Muster. */
  client: string;
}

const endpoint = 'reminders';

/**
 * Example of a team's service. It schedules jobs through its own endpoint. Each idempotency key contains the job's
 * subject, such as the cart. A repeat after a crash therefore schedules no second reminder, and the service stores no
 * job ids.
 */
export function createReminders({ muster, client }: RemindersTerms) {
  const keyOf = (cart: string) => `reminder/${cart}`;

  return {
    /**
     * Creates the endpoint, unless it exists, and a secret for its calls. Requires an operator's key.
     * @returns the secret with which the receiver verifies calls
     */
    open: async (url: string): Promise<string> => {
      const made = { client: muster.api, path: { id: client } };
      await createClientEndpoint({ ...made, body: { name: endpoint, url, concurrency: 5 } }).catch((error: unknown) => {
        if (!(error instanceof MusterProblem) || error.code !== 'name-taken') throw error;
      });
      const { secret } = (await addClientEndpointKey({ ...made, path: { ...made.path, endpoint }, body: {} })).data;
      if (secret === null) throw new Error('the secret of a new key was not shown');
      return secret;
    },

    /**
     * Schedules a reminder; a repeat has no effect.
     * @returns the id of the job
     */
    remind: async (cart: string, delaySeconds: number): Promise<string> => {
      const idempotencyKey = keyOf(cart);
      return (await muster.schedule({ client, endpoint, delaySeconds, idempotencyKey, body: { cart } })).id;
    },

    /**
     * Cancels reminders of bought carts.
     * @returns the carts whose reminder was sent, or is being sent
     */
    forget: async (carts: readonly string[]): Promise<string[]> => {
      const { results } = await muster.cancelMany({ client, idempotencyKeys: carts.map(keyOf) });
      return carts.filter((_, place) => results[place]?.result === 'called' || results[place]?.result === 'too-late');
    },
  };
}
