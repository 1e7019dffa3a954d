import { AddSource } from '../../../parts/audience/add-source.tsx';
import { SourceList } from '../../../parts/audience/source-list.tsx';
import { UploadList } from '../../../parts/audience/upload-list.tsx';
import { useEarlierRuns, useLists, useNamedSources } from '../../../parts/audience/use-sources.ts';
import { entryOf } from '../../../parts/audience/source-form.ts';
import type { SourceForm } from '../../../parts/audience/source-form.ts';
import { isSameSource } from '../../../parts/audience/sources.ts';
import { FieldGroup } from '../../../parts/forms/form-field.tsx';

interface SourcesFieldProps {
  role: 'include' | 'exclude';
  sources: readonly SourceForm[];
  countries: readonly string[];
  onChange: (sources: readonly SourceForm[]) => void;
}

const words = {
  include: { label: 'Include any of', note: undefined, verb: 'Include', list: 'Included' },
  exclude: { label: 'Exclude any of', note: undefined, verb: 'Exclude', list: 'Excluded' },
} as const;

export function SourcesField({ role, sources, countries, onChange }: SourcesFieldProps) {
  const lists = useLists();
  const runs = useEarlierRuns();
  const named = useNamedSources({ include: sources.map(entryOf) });
  const { label, note, verb, list } = words[role];
  const add = (source: SourceForm) => {
    if (!sources.some((each) => isSameSource(each, source))) onChange([...sources, source]);
  };
  return (
    <FieldGroup pointer={`/audience/${role}`} label={label} note={note}>
      {sources.length > 0 ? (
        <SourceList
          label={list}
          sources={sources}
          lists={named.lists}
          runs={[...named.runs, ...runs]}
          onRemove={(source) => onChange(sources.filter((each) => each !== source))}
        />
      ) : (
        role === 'include' && <p className="t3 py-1.5">No users yet: add a segment, a list or an earlier run.</p>
      )}
      <AddSource verb={verb} lists={lists} runs={runs} onAdd={add}>
        {role === 'include' && (
          <UploadList countries={countries} onUploaded={({ id }) => add({ kind: 'list', list: id })} />
        )}
      </AddSource>
    </FieldGroup>
  );
}
