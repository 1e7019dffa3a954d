import { broken, everyClass, kept, type EndpointCheck } from './endpoint-check.ts';

export const previewChecks: readonly EndpointCheck[] = [
  {
    name: 'preview',
    title: 'the preview of a message: a message, or why a user would get none',
    classes: everyClass,
    isFor: ({ previewUrl }) => previewUrl !== undefined,
    play: async (player) => {
      const [user = ''] = player.freshUsers(1);
      const answer = await player.askPreview(user);
      if (answer.kind === 'unavailable') return broken(`${player.terms.previewUrl ?? ''}: ${answer.cause}`);
      return kept(answer.kind === 'refused' ? [`the made-up user would get no message: ${answer.cause}`] : []);
    },
  },
];
