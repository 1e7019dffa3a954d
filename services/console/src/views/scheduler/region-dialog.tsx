import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { activateRegion, switchRegion } from '#client/sdk.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects, type Effect } from '../../parts/overlays/effects.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { joinWords } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import type { RegionSummary } from './region-summary.ts';

export type RegionVerb = 'switch' | 'activate';

interface RegionDialogProps {
  verb: RegionVerb;
  /** Chosen region; undefined if the region is gone. */
  chosen: RegionSummary | undefined;
  others: readonly RegionSummary[];
  onClose: () => void;
}

/**
 * Dialog that confirms switching a region on or off. Shows which work stops, moves to other regions, or is unaffected.
 */
export function RegionDialog({ verb, chosen, others, onClose }: RegionDialogProps) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const name = chosen?.region.name ?? '';
  const act = useMutation({
    mutationFn: async () => {
      const path = { region: name };
      if (verb === 'activate') await activateRegion({ path, throwOnError: true });
      else
        await switchRegion({ path, body: reason.trim() === '' ? {} : { reason: reason.trim() }, throwOnError: true });
    },
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  if (!chosen) return null;
  const isSwitch = verb === 'switch';
  const hasNone = chosen.nodes.length === 0;
  return (
    <Dialog
      title={isSwitch ? `Make ${name} the only region?` : `Activate ${name} again?`}
      lead={
        isSwitch
          ? 'As soon as the request succeeds, no other region offers or claims jobs.'
          : 'It offers and claims jobs like the other active regions.'
      }
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            Back
          </Button>
          <Button kind={isSwitch ? 'solid-bad' : 'ink'} disabled={act.isPending} onClick={() => act.mutate()}>
            {isSwitch ? `Switch to ${name}` : 'Activate'}
          </Button>
        </>
      }
    >
      <Effects effects={isSwitch ? switchEffects(chosen, others) : activateEffects(chosen)} />
      {hasNone && (
        <p className="c-bad sm" role="alert">
          No node is alive in {name}:{' '}
          {isSwitch ? 'no job is called until one starts.' : 'nothing changes until one starts.'}
        </p>
      )}
      {isSwitch && (
        <FormField pointer="/reason" label="Reason" hint="Shown beside the region">
          {(control) => <TextInput {...control} value={reason} onText={setReason} />}
        </FormField>
      )}
      {act.isError && <Refused error={act.error} />}
    </Dialog>
  );
}

function switchEffects(chosen: RegionSummary, others: readonly RegionSummary[]): Effect[] {
  const stopped = others.filter(({ region }) => region.active);
  const nodes = stopped.reduce((sum, each) => sum + each.nodes.length, 0);
  const moving = stopped.reduce((sum, each) => sum + each.partitions, 0);
  const names = joinWords(stopped.map(({ region }) => region.name));
  return [
    {
      value: formatCount(nodes),
      unit: nodes === 1 ? 'node stops' : 'nodes stop',
      isHot: true,
      children:
        stopped.length === 0 ? 'no other region is active.' : `in ${names}: their claims are refused from now on.`,
    },
    {
      value: formatCount(moving),
      unit: moving === 1 ? 'partition moves' : 'partitions move',
      children: `to the ${formatCount(chosen.nodes.filter(({ node }) => node.kind === 'scheduler').length)} schedulers of ${chosen.region.name}, within seconds; jobs due in the meantime are late by that time.`,
    },
    {
      value: '0',
      unit: 'calls lost',
      children: 'calls in flight are recorded as usual. No job is called twice.',
    },
  ];
}

function activateEffects({ nodes }: RegionSummary): Effect[] {
  return [
    {
      value: formatCount(nodes.length),
      unit: nodes.length === 1 ? 'node' : 'nodes',
      isHot: true,
      children: 'become active again; partitions move to them, a few at a time.',
    },
  ];
}
