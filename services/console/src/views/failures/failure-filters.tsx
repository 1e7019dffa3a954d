import { useId, useState } from 'react';
import type { RunReport } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { reasonedOutcomes } from '../../parts/failures/failure-reasons.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { SearchField } from '../../parts/lists/search-field.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { BatchDialog, TimeDialog } from './narrow-dialogs.tsx';
import { readFilter, describeSpan, type FailureFilter } from './failure-filter.ts';
import type { FailuresSearch } from './search.ts';
import { titleOf } from '../../parts/words/action-titles.ts';

interface FailureFiltersProps {
  report: RunReport | undefined;
  filter: FailureFilter;
  onFilter: (filter: FailureFilter) => void;
}

/** Filters of the list. Steps, countries and reasons are only those that occur in the run. */
export function FailureFilters({ report, filter, onFilter }: FailureFiltersProps) {
  const change = (part: FailuresSearch) => onFilter(readFilter({ ...filter, ...part }));
  const reasons = [...new Set(report?.failures.map(({ reason }) => reason))].sort();
  const isFiltered = Object.keys(filter).length > 0;
  const [openDialog, setOpenDialog] = useState<'batch' | 'time'>();
  const formatTime = useFormatTime();
  const close = () => setOpenDialog(undefined);
  return (
    <div className="row flex-wrap">
      <Choice
        label="Step"
        value={filter.step === undefined ? '' : String(filter.step)}
        options={(report?.steps ?? []).map(({ step, action }) => [String(step), `${step} ${titleOf(action)}`])}
        onChoose={(value) => change({ step: value === '' ? undefined : Number(value) })}
      />
      <Choice
        label="Country"
        value={filter.country ?? ''}
        options={(report?.countries ?? []).map(({ country }) => [country, country])}
        onChoose={(value) => change({ country: value === '' ? undefined : value })}
      />
      <Choice
        label="Reason"
        value={filter.reason ?? ''}
        options={reasons.map((reason) => [reason, reason])}
        onChoose={(value) => change({ reason: value === '' ? undefined : value })}
      />
      <Choice
        label="Outcome"
        value={filter.outcome ?? ''}
        options={reasonedOutcomes.map((outcome) => [outcome, outcome])}
        onChoose={(value) => change({ outcome: reasonedOutcomes.find((outcome) => outcome === value) })}
      />
      <DialogFilter
        label="Batch"
        value={filter.batch === undefined ? undefined : String(filter.batch)}
        onOpen={() => setOpenDialog('batch')}
        onClear={() => change({ batch: undefined })}
      />
      <DialogFilter
        label="Time"
        value={describeSpan(filter, formatTime)}
        onOpen={() => setOpenDialog('time')}
        onClear={() => change({ failedFrom: undefined, failedUntil: undefined })}
      />
      {isFiltered && (
        <Button kind="ghost" small onClick={() => onFilter({})}>
          Clear all filters
        </Button>
      )}
      <span className="ml-auto row phone:w-full">
        <SearchField
          placeholder="Start of a user id"
          value={filter.q ?? ''}
          onSearch={(text) => change({ q: text === '' ? undefined : text })}
        />
      </span>
      {openDialog === 'batch' && <BatchDialog filter={filter} onFilter={change} onClose={close} />}
      {openDialog === 'time' && <TimeDialog filter={filter} onFilter={change} onClose={close} />}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const id = useId();
  const isKnown = value === '' || options.some(([each]) => each === value);
  return (
    <span className={`filt ${value === '' ? '' : 'on'} pr-0.5`}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChoose(target.value)}>
        <option value="">any</option>
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </span>
  );
}

interface DialogFilterProps {
  label: string;
  value: string | undefined;
  onOpen: () => void;
  onClear: () => void;
}

function DialogFilter({ label, value, onOpen, onClear }: DialogFilterProps) {
  return (
    <span className={value === undefined ? 'filt' : 'filt on'}>
      <button type="button" className="row gap-1.25" onClick={onOpen}>
        {value === undefined && <Icon name="plus" size={12} />}
        {label} {value !== undefined && <b>{value}</b>}
      </button>
      {value !== undefined && (
        <button type="button" aria-label={`Take off ${label} ${value}`} onClick={onClear}>
          <Icon name="x" size={12} />
        </button>
      )}
    </span>
  );
}
