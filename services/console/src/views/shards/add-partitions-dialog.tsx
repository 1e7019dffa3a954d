import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeShard } from '#client/sdk.gen.ts';
import { listShardsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { Shard } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { formatCount } from '../../parts/words/numbers.ts';

/** Form that adds partitions, so that more workers can share a shard. The number can never be reduced. */
export function AddPartitionsDialog({ shard, onClose }: { shard: Shard; onClose: () => void }) {
  const { id, partitions, workers } = shard;
  const least = Math.max(partitions.wanted, partitions.actual ?? 0);
  const [text, setText] = useState(String(least * 2));
  const queries = useQueryClient();
  const raise = useMutation({
    mutationFn: () => changeShard({ path: { shard: id }, body: { partitions: Number(text) }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: listShardsQueryKey() });
      onClose();
    },
  });
  const wanted = /^\d{1,4}$/.test(text.trim()) ? Number(text) : null;
  const isMore = wanted !== null && wanted > least && wanted <= 1000;
  return (
    <Dialog
      title={`Add partitions to ${shard.actionType} ${shard.country}?`}
      lead="Possible under load: Kafka applies the change within seconds. Partitions cannot be removed again."
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose}>Back</Button>
          <Button kind="ink" disabled={!isMore || raise.isPending} onClick={() => raise.mutate()}>
            {isMore ? `Raise to ${formatCount(wanted)}` : 'Raise'}
          </Button>
        </span>
      }
    >
      <FormField pointer="/partitions" label="Partitions" hint={`More than ${least}, at most 1,000`}>
        {(control) => <TextInput {...control} inputMode="numeric" value={text} onText={setText} data-autofocus />}
      </FormField>
      <Effects
        effects={[
          {
            value: isMore ? formatCount(wanted) : '–',
            unit: 'workers at most',
            children: `can share the shard then; ${least} can now, and ${workers.length} ${workers.length === 1 ? 'serves' : 'serve'} it.`,
          },
          {
            value: '0',
            unit: 'users',
            children: 'are called twice: batches keep their keys in any partition.',
          },
        ]}
      />
      {raise.isError && (
        <p className="c-bad sm" role="alert">
          {[problemOf(raise.error).detail, ...problemOf(raise.error).errors.map(({ detail }) => detail)].join('; ')}
        </p>
      )}
    </Dialog>
  );
}
