import { useMutation, useQueryClient } from '@tanstack/react-query';
import { discardDeadLetter, discardDeadLetters, replayDeadLetter, replayDeadLetters } from '#client/sdk.gen.ts';
import type { DeadLetterContent, DeadLetterGroup } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { topicInWords } from './letter-text.ts';

export type SettleVerb = 'replay' | 'discard';

interface SettleDialogProps {
  verb: SettleVerb;
  /** All of a group, or one letter. */
  group?: DeadLetterGroup;
  letter?: DeadLetterContent;
  onClose: () => void;
}

const words = {
  replay: {
    title: 'Replay',
    go: 'Replay',
    effect:
      'are published again to their topic, byte for byte. What still cannot be understood comes back as a new letter.',
    note: 'called twice: whatever a message names is served under the same keys as ever.',
  },
  discard: {
    title: 'Discard',
    go: 'Discard',
    effect: 'stay in the list as discarded until they are too old, and are not published again.',
    note: 'lost by it: runs are swept by what Postgres knows, and what is missing is fed anew.',
  },
} as const;

/** What becomes of the messages, and of the users in them. */
export function SettleDialog({ verb, group, letter, onClose }: SettleDialogProps) {
  const queries = useQueryClient();
  const settle = useMutation({
    mutationFn: async () => {
      if (letter) {
        const path = { id: letter.id };
        await (verb === 'replay' ? replayDeadLetter({ path }) : discardDeadLetter({ path }));
        return;
      }
      const body = { topic: group?.topic ?? '', reason: group?.reason ?? '' };
      await (verb === 'replay' ? replayDeadLetters({ body }) : discardDeadLetters({ body }));
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  const count = letter ? 1 : (group?.letters ?? 0);
  const { title, go, effect, note } = words[verb];
  const topic = letter?.topic ?? group?.topic ?? '';
  return (
    <Dialog
      title={`${title} ${countOf(count, 'message')}?`}
      lead={`${topicInWords(topic)}: ${letter?.reason ?? group?.reason ?? ''}`}
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose} data-autofocus>
            Leave as they are
          </Button>
          <Button
            kind={verb === 'discard' ? 'solid-bad' : 'ink'}
            disabled={settle.isPending}
            onClick={() => settle.mutate()}
          >
            {go} {formatCount(count)}
          </Button>
        </span>
      }
    >
      <Effects
        effects={[
          { value: formatCount(count), unit: count === 1 ? 'message' : 'messages', isHot: true, children: effect },
          { value: '0', unit: 'users', children: `are ${note}` },
        ]}
      />
      {settle.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(settle.error).detail}
        </p>
      )}
    </Dialog>
  );
}
