import { useId } from 'react';
import { useRefusal } from '../../../frame/session/session.ts';
import { ExactCountLine } from '../../../parts/audience/exact-count.tsx';
import { Overlap } from '../../../parts/audience/overlap.tsx';
import { useExactCount } from '../../../parts/audience/use-exact-count.ts';
import { UserCountLine } from '../../../parts/audience/user-count-line.tsx';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { FieldGroup, FormField, ProblemsAt } from '../../../parts/forms/form-field.tsx';
import { AddSource } from '../../../parts/audience/add-source.tsx';
import { CountriesField } from '../../../parts/audience/countries-field.tsx';
import { entryOf } from '../../../parts/audience/source-form.ts';
import type { SourceForm } from '../../../parts/audience/source-form.ts';
import { FormSection } from '../form/form-section.tsx';
import { SourceList } from '../../../parts/audience/source-list.tsx';
import { isSameSource, usersOfSource } from '../../../parts/audience/sources.ts';
import { UploadList } from '../../../parts/audience/upload-list.tsx';
import { SavedAudienceField } from './saved-audience-field.tsx';
import type { Editor } from '../form/use-editor.ts';
import { useEarlierRuns, useLists, useNamedSources } from '../../../parts/audience/use-sources.ts';

export function AudienceSection({ editor }: { editor: Editor }) {
  const { form, change, types, fields } = editor;
  const lists = useLists();
  const runs = useEarlierRuns();
  const known = [...new Set(types.flatMap(({ countries }) => countries ?? []))].sort();
  const add = (role: 'include' | 'exclude') => (source: SourceForm) => {
    if (form[role].some((each) => isSameSource(each, source))) return;
    change({ [role]: [...form[role], source], savedAudience: null });
  };
  return (
    <FormSection section="audience" number={1} note="users to reach">
      <div className="grid grid-cols-[1fr_1fr] gap-3.5 items-start phone:grid-cols-1">
        <CountriesField
          countries={form.countries}
          known={known}
          onChange={(countries) => change({ countries })}
          onLeave={() => fields.onLeave('/countries')}
        />
        <HoldOut editor={editor} />
      </div>
      <FieldGroup pointer="/audience/include" label="Include any of">
        {form.include.length === 0 ? (
          <p className="t3 py-1.5">No users yet: add a segment, a list or an earlier run.</p>
        ) : (
          <Sources role="include" {...{ editor, runs }} />
        )}
        <AddSource verb="Include" lists={lists} runs={runs} onAdd={add('include')}>
          <UploadList countries={form.countries} onUploaded={({ id }) => add('include')({ kind: 'list', list: id })} />
        </AddSource>
      </FieldGroup>
      <FieldGroup pointer="/audience/exclude" label="Exclude users who are in any of">
        {form.exclude.length > 0 && <Sources role="exclude" {...{ editor, runs }} />}
        <AddSource verb="Exclude" lists={lists} runs={runs} onAdd={add('exclude')} />
      </FieldGroup>
      <SavedAudienceField editor={editor} />
      <AudienceSize editor={editor} />
    </FormSection>
  );
}

function AudienceSize({ editor: { definition, size } }: { editor: Editor }) {
  const id = useId();
  const count = useExactCount();
  const refusal = useRefusal('manager');
  const { countries, audience } = definition;
  const { include, exclude } = audience;
  const question = { countries, audience: { include, ...(exclude && { exclude }) } };
  const hasSources = countries.length > 0 && include.length > 0;
  const missing = hasSources ? undefined : 'Add countries and sources first';
  return (
    <div role="group" aria-labelledby={id}>
      <span className="lab" id={id}>
        Audience size{' '}
      </span>
      <div className="box grid gap-2 py-2 px-3">
        <ExactCountLine
          {...{ count, question, refusal, missing }}
          estimate={
            hasSources && size !== null ? <UserCountLine size={size} /> : <span className="t3">Not known yet</span>
          }
        />
        {hasSources && (
          <div className="border-t border-line pt-2">
            <span className="t2 sm">Users who are also in another source</span>
            <Overlap {...{ question, refusal }} />
          </div>
        )}
      </div>
    </div>
  );
}

function HoldOut({ editor: { form, change } }: { editor: Editor }) {
  return (
    <div className="grid grid-cols-[104px_1fr] gap-3 phone:grid-cols-[1fr_1fr]">
      <FormField pointer="/audience/holdOutPercent" label="Hold out" hint="For comparison">
        {(control) => (
          <TextInput
            {...control}
            inputMode="decimal"
            unit="%"
            placeholder="0"
            value={form.holdOutPercent}
            onText={(holdOutPercent) => change({ holdOutPercent })}
          />
        )}
      </FormField>
      <FormField
        pointer="/audience/holdOutSeed"
        label="Seed"
        hint="Campaigns with the same seed hold out the same users"
      >
        {(control) => (
          <TextInput
            {...control}
            placeholder="the campaign’s own"
            value={form.holdOutSeed}
            onText={(holdOutSeed) => change({ holdOutSeed })}
          />
        )}
      </FormField>
    </div>
  );
}

interface SourcesProps {
  role: 'include' | 'exclude';
  editor: Editor;
  runs: ReturnType<typeof useEarlierRuns>;
}

function Sources({ role, editor: { form, change, standing }, runs }: SourcesProps) {
  const named = useNamedSources({ include: form[role].map(entryOf) });
  return (
    <SourceList
      label={role === 'include' ? 'Included' : 'Excluded'}
      sources={form[role]}
      lists={named.lists}
      runs={[...named.runs, ...runs]}
      usersOf={(index) => usersOfSource(standing.preview, role, index)}
      note={(index) => <ProblemsAt pointer={`/audience/${role}/${index}`} />}
      onRemove={(source) => change({ [role]: form[role].filter((each) => each !== source), savedAudience: null })}
    />
  );
}
