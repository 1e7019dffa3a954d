import { DownloadLink } from '../controls/download-link.tsx';
import { Segments, Select, TextInput } from '../controls/controls.tsx';
import { FormField } from '../forms/form-field.tsx';
import { detectedColumns } from '../file-preview/column-choice.ts';
import { ColumnFields } from '../file-preview/column-fields.tsx';
import { FilePreview } from '../file-preview/file-preview.tsx';
import type { FilePreviewQuery } from '../file-preview/use-file-preview.ts';
import { countriesOf, type UnknownLine } from './unknown-lines.ts';
import type { SettleLines, SettleDraft, SettleWay } from './settle-draft.ts';
import { titleOf } from '../words/action-titles.ts';

interface WayProps {
  runId: string;
  lines: SettleLines;
  draft: SettleDraft;
  onDraft: (draft: SettleDraft) => void;
}

export function SettleFields({ way, preview, ...props }: WayProps & { way: SettleWay; preview: FilePreviewQuery }) {
  switch (way) {
    case 'status':
      return <StatusFields {...props} />;
    case 'file':
      return <FileField {...props} preview={preview} />;
    case 'hand':
      return <HandFields {...props} />;
  }
}

const all = 'all';

function StatusFields({ lines: { askable }, draft, onDraft }: WayProps) {
  const { wanted } = draft;
  return (
    <div className="grid grid-cols-2 gap-3.5 phone:grid-cols-1">
      <FormField pointer="/step" label="Step">
        {(control) => (
          <Select
            {...control}
            value={String(wanted.step ?? all)}
            choices={[{ value: all, label: 'all steps with a status endpoint' }, ...askable.map(stepChoice)]}
            onChoose={(step) => onDraft({ ...draft, wanted: { ...wanted, step: numberOf(step) } })}
          />
        )}
      </FormField>
      <CountryField
        lines={askable}
        everywhere="all of them"
        value={wanted.country}
        onChoose={(country) => onDraft({ ...draft, wanted: { ...wanted, country } })}
      />
      <p className="hint col-span-full">
        A worker queries the endpoint in the background, once calls without an answer can no longer be applied. It
        continues after you close this dialog.
      </p>
    </div>
  );
}

function FileField({ runId, draft, onDraft, preview }: WayProps & { preview: FilePreviewQuery }) {
  return (
    <div className="grid gap-2.5">
      <FormField
        pointer="/file"
        label="File"
        required
        hint="CSV: userId, step, outcome (succeeded or failed), then code and country where they are known; or .ndjson with the same fields. Lines that settle no user are listed; the others count."
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".csv,.txt,.gz,.ndjson,.jsonl,text/csv"
            className="inp w-full py-1 h-auto"
            onChange={({ target }) =>
              onDraft({ ...draft, columns: detectedColumns, file: target.files?.item(0) ?? null })
            }
          />
        )}
      </FormField>
      <ColumnFields
        preview={preview}
        choice={draft.columns}
        disabled={false}
        onChoose={(columns) => onDraft({ ...draft, columns })}
      />
      <FilePreview preview={preview} />
      <div className="row flex-wrap">
        <DownloadLink href={`v1/runs/${runId}/failures?outcome=unknown&format=csv&raw=true`}>
          Unknown users as CSV
        </DownloadLink>
        <span className="t2 sm">for the team that keeps the records of the called service</span>
      </div>
    </div>
  );
}

const outcomes = [
  { value: 'succeeded', label: 'It was applied' },
  { value: 'failed', label: 'It was not' },
] as const;

function HandFields({ lines: { unknown }, draft, onDraft }: WayProps) {
  const { hand } = draft;
  const change = (part: Partial<SettleDraft['hand']>) => onDraft({ ...draft, hand: { ...hand, ...part } });
  return (
    <div className="grid grid-cols-2 gap-3.5 phone:grid-cols-1">
      <FormField pointer="/userId" label="User id, as in the audience" required>
        {(control) => (
          <TextInput
            {...control}
            mono
            value={hand.userId}
            autoCapitalize="off"
            onText={(userId) => change({ userId })}
          />
        )}
      </FormField>
      <FormField pointer="/step" label="Step">
        {(control) => (
          <Select
            {...control}
            value={String(hand.step ?? unknown[0]?.step ?? '')}
            choices={unknown.map(stepChoice)}
            onChoose={(step) => change({ step: numberOf(step) })}
          />
        )}
      </FormField>
      <div>
        <span className="lab">Outcome</span>
        <span className="block">
          <Segments
            label="Outcome"
            value={hand.outcome}
            choices={outcomes}
            onChoose={(outcome) => change({ outcome })}
          />
        </span>
      </div>
      {hand.outcome === 'failed' && (
        <FormField pointer="/code" label="Why" hint="A code of the endpoint, such as no-account">
          {(control) => (
            <TextInput {...control} mono value={hand.code} maxLength={64} onText={(code) => change({ code })} />
          )}
        </FormField>
      )}
      <CountryField
        lines={unknown}
        everywhere="where the user is unknown"
        value={hand.country}
        onChoose={(country) => change({ country })}
      />
    </div>
  );
}

interface CountryFieldProps {
  lines: readonly UnknownLine[];
  everywhere: string;
  value: string | null;
  onChoose: (country: string | null) => void;
}

/** Field for one of several countries; hidden if there is only one. */
function CountryField({ lines, everywhere, value, onChoose }: CountryFieldProps) {
  const countries = countriesOf(lines);
  if (countries.length < 2) return null;
  return (
    <FormField pointer="/country" label="Country">
      {(control) => (
        <Select
          {...control}
          value={value ?? all}
          choices={[{ value: all, label: everywhere }, ...countries.map((code) => ({ value: code, label: code }))]}
          onChoose={(code) => onChoose(code === all ? null : code)}
        />
      )}
    </FormField>
  );
}

function stepChoice({ step, action }: UnknownLine) {
  return { value: String(step), label: `${step} ${titleOf(action)}` };
}

function numberOf(step: string): number | null {
  return step === all ? null : Number(step);
}
