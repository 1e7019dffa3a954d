import { useState } from 'react';
import type { ListedAudience, Run } from '#client/types.gen.ts';
import { Button } from '../controls/button.tsx';
import { Check, Select, TextInput } from '../controls/controls.tsx';
import { useCurrentMinute } from '../browser/now.ts';
import { formatTime } from '../times/times.ts';
import { useZone } from '../times/zone.ts';
import { outcomes, type EarlierOutcome, type SourceForm } from './source-form.ts';
import { SourceEditorButtons, type SourceEditorProps } from './source-editor-buttons.tsx';
import { SegmentEditor } from './segment-editor.tsx';
import { formatListSize } from './list-texts.ts';

interface AddSourceProps {
  lists: readonly ListedAudience[];
  runs: readonly Run[];
  onAdd: (source: SourceForm) => void;
}

type Kind = SourceForm['kind'];

const kinds = [
  { kind: 'segment', label: 'Segment', name: 'a segment' },
  { kind: 'list', label: 'List', name: 'a list' },
  { kind: 'run', label: 'Earlier run', name: 'an earlier run' },
] as const;

/** Buttons for each kind of source. Each opens a form for one source below them. */
export function AddSource({
  onAdd,
  children,
  verb,
  ...choices
}: AddSourceProps & { verb: string; children?: React.ReactNode }) {
  const [open, setOpen] = useState<Kind | null>(null);
  const add = (source: SourceForm) => {
    setOpen(null);
    onAdd(source);
  };
  return (
    <>
      <div className="row flex-wrap mt-2 phone:[&_button]:h-10 phone:[&_button]:min-w-10">
        {kinds.map(({ kind, label, name }) => (
          <Button
            key={kind}
            small
            icon="plus"
            aria-expanded={open === kind}
            label={`${verb} ${name}`}
            onClick={() => setOpen(open === kind ? null : kind)}
          >
            {label}
          </Button>
        ))}
        {children}
      </div>
      {open === 'segment' && <SegmentEditor onAdd={add} onCancel={() => setOpen(null)} />}
      {open === 'list' && <ListAsk lists={choices.lists} onAdd={add} onCancel={() => setOpen(null)} />}
      {open === 'run' && <RunAsk runs={choices.runs} onAdd={add} onCancel={() => setOpen(null)} />}
    </>
  );
}

function ListAsk({ lists, onAdd, onCancel }: SourceEditorProps<SourceForm> & { lists: readonly ListedAudience[] }) {
  const [list, setList] = useState('');
  if (lists.length === 0) return <p className="t3 sm ask">No lists have been uploaded yet.</p>;
  return (
    <div className="ask">
      <Select
        aria-label="List"
        placeholder="Choose a list…"
        value={list}
        choices={lists.map(({ id, name, size }) => ({
          value: id,
          label: size === null ? name : `${name} (${formatListSize(size)} users)`,
        }))}
        onChoose={setList}
      />
      <SourceEditorButtons isReady={list !== ''} onAdd={() => onAdd({ kind: 'list', list })} onCancel={onCancel} />
    </div>
  );
}

function RunAsk({ runs, onAdd, onCancel }: SourceEditorProps<SourceForm> & { runs: readonly Run[] }) {
  const { zone } = useZone();
  const [runId, setRunId] = useState('');
  const [chosen, setChosen] = useState<readonly EarlierOutcome[]>([]);
  const [step, setStep] = useState('');
  const now = new Date(useCurrentMinute());
  const label = (run: Run) => `${run.campaignName}, ${formatTime(run.scheduledFor, { zone, now })}`;
  const add = () =>
    onAdd({
      kind: 'run',
      runId,
      step: /^[1-9]\d?$/.test(step) ? Number(step) : null,
      outcomes: outcomes.filter((outcome) => chosen.includes(outcome)),
    });
  if (runs.length === 0) return <p className="t3 sm ask">There are no earlier runs yet.</p>;
  return (
    <div className="ask">
      <Select
        aria-label="Earlier run"
        placeholder="Choose a run…"
        value={runId}
        choices={runs.map((run) => ({ value: run.runId, label: label(run) }))}
        onChoose={setRunId}
      />
      <fieldset className="flex flex-wrap gap-y-0 gap-x-4 m-0 p-0 border-0">
        <legend className="p-0 t2 sm">Users who ended as (none selected: all users of the run)</legend>
        {outcomes.map((outcome) => (
          <Check
            key={outcome}
            checked={chosen.includes(outcome)}
            onCheck={(on) => setChosen(on ? [...chosen, outcome] : chosen.filter((each) => each !== outcome))}
          >
            {outcome}
          </Check>
        ))}
      </fieldset>
      <TextInput
        aria-label="Step of the run"
        inputMode="numeric"
        placeholder="Whole chain, or a step such as 1"
        value={step}
        onText={setStep}
      />
      <SourceEditorButtons isReady={runId !== ''} onAdd={add} onCancel={onCancel} />
    </div>
  );
}
