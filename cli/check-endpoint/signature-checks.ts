import { createSecretKey, randomBytes } from 'node:crypto';
import { broken, everyClass, kept, type EndpointCheck } from './endpoint-check.ts';

/** Checks of endpoints with signed calls: a signature protects only if the endpoint verifies it. */
export const signatureChecks: readonly EndpointCheck[] = [
  {
    name: 'forged-signature',
    title: 'a call that somebody else signed, refused with 401 or 403',
    classes: everyClass,
    isFor: ({ signingKey }) => signingKey !== undefined,
    play: async (player) => {
      const signedWith = createSecretKey(randomBytes(32));
      const { status } = await player.call({ users: player.freshUsers(1), signedWith });
      if (status === 401 || status === 403) return kept();
      const answered = status === 0 ? 'did not answer' : `answered ${status}`;
      return broken(
        `${answered} a call that was signed with another secret: webhook-signature has to be checked against the body before anything is done`,
      );
    },
  },
];
