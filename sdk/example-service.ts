import { addClientEndpointKey, createClientEndpoint } from './generated/sdk.gen.ts';
import { MusterProblem, type Muster } from './muster.ts';

export interface RemindersTerms {
  muster: Muster;
  /** The client of Muster's that the team has, its name or its id. */
  client: string;
}

const endpoint = 'reminders';

/**
 * A team's service as it should be: what it schedules goes through an endpoint of its own, and bears the name of what
 * it is about, so that a repeat after a crash is the same reminder, and no ids of jobs have to be kept.
 */
export function createReminders({ muster, client }: RemindersTerms) {
  const keyOf = (cart: string) => `reminder/${cart}`;

  return {
    /**
     * With a key of an operator: makes the endpoint, where it is not there yet, and a secret for its calls.
     * @returns what the receiver verifies them with
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

    /** Asked for twice, it comes once. @returns the id of the job */
    remind: async (cart: string, delaySeconds: number): Promise<string> => {
      const idempotencyKey = keyOf(cart);
      return (await muster.schedule({ client, endpoint, delaySeconds, idempotencyKey, body: { cart } })).id;
    },

    /** Of carts that were bought. @returns those whose reminder was or is under way already */
    forget: async (carts: readonly string[]): Promise<string[]> => {
      const { results } = await muster.cancelMany({ client, idempotencyKeys: carts.map(keyOf) });
      return carts.filter((_, place) => results[place]?.result === 'called' || results[place]?.result === 'too-late');
    },
  };
}
