import { useId } from 'react';
import { useRefusal } from '../../../frame/session/session.ts';
import { ExactCountLine } from '../../../parts/audience/exact-count.tsx';
import { Overlap } from '../../../parts/audience/overlap.tsx';
import { useExactCount } from '../../../parts/audience/use-exact-count.ts';
import { audienceBounds, boundsText } from '../../../parts/campaign/arithmetic.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { TextInput } from '../../../parts/controls/controls.tsx';
import { FieldGroup, FormField, ProblemsAt } from '../../../parts/forms/form-field.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { AddSource } from '../../../parts/audience/add-source.tsx';
import { CountriesField } from './countries-field.tsx';
import type { SourceForm } from '../../../parts/campaign/form.ts';
import { FormSection } from '../editor/form-section.tsx';
import { SourceUsers, SourceWords } from '../../../parts/audience/source-words.tsx';
import { isSameSource, usersOfSource } from '../../../parts/campaign/sources.ts';
import { UploadList } from '../../../parts/audience/upload-list.tsx';
import { SavedAs } from './saved-as.tsx';
import type { Editor } from '../editor/use-editor.ts';
import { useEarlierRuns, useLists } from '../../../parts/audience/use-sources.ts';

const icons = { segment: 'users', list: 'audit', run: 'retry' } as const;

/** Who: countries, whoever is in one of these and in none of those, and how many of them get nothing. */
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
    <FormSection section="audience" number={1} note="who">
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
          <p className="t3 py-1.5">Nobody yet: name a segment, a list or an earlier run.</p>
        ) : (
          <Sources role="include" {...{ editor, lists, runs }} />
        )}
        <AddSource what="Include a" lists={lists} runs={runs} onAdd={add('include')}>
          <UploadList countries={form.countries} onUploaded={({ id }) => add('include')({ kind: 'list', list: id })} />
        </AddSource>
      </FieldGroup>
      <FieldGroup pointer="/audience/exclude" label="Leave out" note="whoever is in one of these">
        {form.exclude.length > 0 && <Sources role="exclude" {...{ editor, lists, runs }} />}
        <AddSource what="Leave out a" lists={lists} runs={runs} onAdd={add('exclude')} />
      </FieldGroup>
      <SavedAs editor={editor} />
      <HowMany editor={editor} />
    </FormSection>
  );
}

/** What is known of its size, and the way to know it exactly. */
function HowMany({ editor: { definition, standing } }: { editor: Editor }) {
  const id = useId();
  const count = useExactCount();
  const refusal = useRefusal('manager');
  const { countries, audience } = definition;
  const { include, exclude } = audience;
  const question = { countries, audience: { include, ...(exclude && { exclude }) } };
  const isSaid = countries.length > 0 && include.length > 0;
  const missing = isSaid ? undefined : 'Name countries and whom to include first';
  const { preview } = standing;
  return (
    <div role="group" aria-labelledby={id}>
      <span className="lab" id={id}>
        How many
      </span>
      <div className="box grid gap-2 py-2 px-3">
        <ExactCountLine
          {...{ count, question, refusal, missing }}
          estimate={
            <span className={isSaid ? 't2' : 't3'}>
              {isSaid && preview && preview.countries.length > 0
                ? `${boundsText(audienceBounds(preview))} users, estimated`
                : 'Not known yet'}
            </span>
          }
        />
        {isSaid && (
          <div className="border-t border-line pt-2">
            <span className="t2 sm">How many of them are in another source too</span>
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
        hint="A campaign with the seed of another holds out the same users"
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
  lists: ReturnType<typeof useLists>;
  runs: ReturnType<typeof useEarlierRuns>;
}

function Sources({ role, editor: { form, change, standing }, lists, runs }: SourcesProps) {
  const remove = (source: SourceForm) =>
    change({ [role]: form[role].filter((each) => each !== source), savedAudience: null });
  return (
    <ul className="box" aria-label={role === 'include' ? 'Included' : 'Left out'}>
      {form[role].map((source, index) => (
        <li
          key={JSON.stringify(source)}
          className="flex items-center gap-2.5 min-h-8 py-0.75 pr-1.5 pl-4 border-t border-line first:border-0 phone:flex-wrap phone:gap-y-0.5 phone:py-2 phone:pl-3"
        >
          <Icon name={icons[source.kind]} size={14} className="t2" />
          <span className="flex-1 min-w-0 wrap-anywhere phone:basis-[70%]">
            <SourceWords {...{ source, lists, runs }} />
            <ProblemsAt pointer={`/audience/${role}/${index}`} />
          </span>
          <span className="t2 text-right phone:order-4 phone:basis-full phone:pl-6 phone:text-left">
            <SourceUsers {...{ source, lists }} users={usersOfSource(standing.preview, role, index)} />
          </span>
          <Button
            small
            kind="ghost"
            icon="x"
            label={`Remove ${source.kind} ${index + 1}`}
            onClick={() => remove(source)}
          />
        </li>
      ))}
    </ul>
  );
}
