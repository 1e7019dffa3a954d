import { useState } from 'react';
import { weeklyOf } from '../../../parts/when/weekly-rule.ts';
import { FormField, ProblemsAt } from '../../../parts/forms/form-field.tsx';
import { Segments, Select, TextInput } from '../../../parts/controls/controls.tsx';
import { useZone } from '../../../parts/times/zone.ts';
import { CountryStarts } from './country-starts.tsx';
import { DaysField } from './days-field.tsx';
import { describeCron } from '../../../parts/when/cron-words.ts';
import { FormSection } from '../form/form-section.tsx';
import { DaysOffFields } from '../../../parts/when/days-off-fields.tsx';
import { NextFires } from '../../../parts/when/next-fires.tsx';
import { SpanField } from '../../../parts/when/span-field.tsx';
import type { Editor } from '../form/use-editor.ts';
import type { Misfire, Overlap, WhenForm, WhenKind } from '../../../parts/when/when-form.ts';
import { TimeInput } from '../../../parts/controls/time-input.tsx';
import { formatTypedTime } from './format-typed-time.ts';
import { ZoneField } from '../../../parts/when/zone-field.tsx';

const kinds: readonly { value: WhenKind; label: string }[] = [
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'Once' },
  { value: 'local', label: 'Local time per country' },
  { value: 'recurring', label: 'Recurring' },
];

export function WhenSection({ editor: { form, change } }: { editor: Editor }) {
  const own = useZone();
  const { when } = form;
  const put = (changed: Partial<WhenForm>) => change({ when: { ...when, ...changed } });
  return (
    <FormSection section="when" number={3} note={`${own.label} unless stated otherwise`}>
      <div>
        <Segments label="Kind of schedule" value={when.kind} choices={kinds} onChoose={(kind) => put({ kind })} />
        <ProblemsAt pointer="/schedule" />
      </div>
      {when.kind === 'now' && <p className="t2">The campaign starts when you press Start.</p>}
      {when.kind === 'at' && <OnceFields when={when} put={put} />}
      {when.kind === 'local' && <LocalFields when={when} countries={form.countries} put={put} />}
      {when.kind === 'recurring' && <RecurringFields when={when} put={put} />}
    </FormSection>
  );
}

interface WhenProps {
  when: WhenForm;
  put: (changed: Partial<WhenForm>) => void;
}

function TimeField({ when, put, hint }: WhenProps & { hint: string }) {
  return (
    <FormField pointer="/schedule/time" label="Day and time" hint={formatTypedTime(when.time) ?? hint}>
      {(control) => <TimeInput {...control} value={when.time} onText={(time) => put({ time })} />}
    </FormField>
  );
}

function OnceFields({ when, put }: WhenProps) {
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(170px,1fr))] gap-3.5 items-start">
      <TimeField {...{ when, put }} hint="Local time in the zone" />
      <ZoneField pointer="/schedule/zone" label="Zone" value={when.zone} onChange={(zone) => put({ zone })} />
      <CatchUpField {...{ when, put }} />
    </div>
  );
}

function LocalFields({ when, put, countries }: WhenProps & { countries: readonly string[] }) {
  return (
    <>
      <div className="grid grid-cols-[1fr_1fr] gap-3.5 items-start phone:grid-cols-1">
        <TimeField {...{ when, put }} hint="Each country starts at this local time; one run, one report" />
        <CatchUpField {...{ when, put }} />
      </div>
      <CountryStarts {...{ when, countries }} onZones={(zones) => put({ zones })} />
    </>
  );
}

/** Fields for a recurring start. Most rules are days of the week, which have their own field and are stored as cron. */
function RecurringFields({ when, put }: WhenProps) {
  const [isDays, setDays] = useState(() => weeklyOf(when.cron) !== null);
  const by = when.rule === 'cron' && isDays ? 'days' : when.rule;
  const choose = (chosen: 'days' | 'cron' | 'every') => {
    setDays(chosen === 'days');
    const keepsCron = chosen !== 'days' || weeklyOf(when.cron) !== null;
    put({ rule: chosen === 'every' ? 'every' : 'cron', ...(!keepsCron && { cron: '0 9 * * MON' }) });
  };
  return (
    <>
      <div className="grid grid-cols-[108px_1fr_1fr] gap-3.5 items-start phone:grid-cols-1">
        <FormField pointer="/schedule/rule" label="By">
          {(control) => (
            <Select
              {...control}
              value={by}
              choices={[
                { value: 'days', label: 'Days' },
                { value: 'cron', label: 'Rule' },
                { value: 'every', label: 'Interval' },
              ]}
              onChoose={choose}
            />
          )}
        </FormField>
        {by === 'days' && <DaysField cron={when.cron} onCron={(cron) => put({ cron })} />}
        {by === 'cron' && <CronField {...{ when, put }} />}
        {by === 'every' && <EveryField {...{ when, put }} />}
        <ZoneField pointer="/schedule/zone" label="Zone" value={when.zone} onChange={(zone) => put({ zone })} />
      </div>
      <NextFires when={when} />
      <div className="grid grid-cols-[repeat(auto-fill,minmax(170px,1fr))] gap-3.5 items-start">
        <DaysOffFields {...{ when, put }} pointer="/schedule" />
        <PolicyFields {...{ when, put }} />
        <CatchUpField {...{ when, put }} />
        <BoundField {...{ when, put }} name="from" label="From" none="From the start" />
        <BoundField {...{ when, put }} name="until" label="Until" none="No end" />
      </div>
    </>
  );
}

function CronField({ when, put }: WhenProps) {
  const words = describeCron(when.cron);
  return (
    <FormField
      pointer="/schedule/cron"
      label="Rule, five fields"
      hint={words ?? 'Minute, hour, day of month, month, day of week'}
    >
      {(control) => <TextInput {...control} mono value={when.cron} onText={(cron) => put({ cron })} />}
    </FormField>
  );
}

function EveryField({ when, put }: WhenProps) {
  return (
    <SpanField
      pointer="/schedule/everySeconds"
      label="Every"
      hint="Counts from the start; clock changes have no effect"
      value={when.every}
      units={['s', 'min', 'h', 'd']}
      onChange={(every) => put({ every })}
    />
  );
}

const misfireChoices: readonly { value: Misfire; label: string }[] = [
  { value: 'fire-once', label: 'One run for all missed starts' },
  { value: 'fire-all', label: 'One late run for each' },
  { value: 'skip', label: 'No run' },
];
const overlapChoices: readonly { value: Overlap; label: string }[] = [
  { value: 'skip', label: 'Skip the new run' },
  { value: 'buffer-one', label: 'Start when it has ended' },
  { value: 'allow', label: 'Start in parallel' },
];

function PolicyFields({ when, put }: WhenProps) {
  return (
    <>
      <FormField pointer="/schedule/misfire" label="If starts are missed">
        {(control) => (
          <Select {...control} value={when.misfire} choices={misfireChoices} onChoose={(misfire) => put({ misfire })} />
        )}
      </FormField>
      <FormField pointer="/schedule/overlap" label="If the last run is still running">
        {(control) => (
          <Select {...control} value={when.overlap} choices={overlapChoices} onChoose={(overlap) => put({ overlap })} />
        )}
      </FormField>
    </>
  );
}

function CatchUpField({ when, put }: WhenProps) {
  return (
    <SpanField
      pointer="/schedule/catchUpSeconds"
      label="Starts late by at most"
      placeholder={when.kind === 'recurring' ? '60' : 'any time'}
      hint="Starts missed for longer are skipped"
      value={when.catchUp}
      units={['s', 'min', 'h', 'd']}
      onChange={(catchUp) => put({ catchUp })}
    />
  );
}

function BoundField({
  when,
  put,
  name,
  label,
  none,
}: WhenProps & { name: 'from' | 'until'; label: string; none: string }) {
  return (
    <FormField
      pointer={`/schedule/${name}`}
      label={label}
      hint={when[name] === '' ? none : (formatTypedTime(when[name]) ?? 'Such as 2026-12-01 09:00')}
    >
      {(control) => <TimeInput {...control} value={when[name]} onText={(time) => put({ [name]: time })} />}
    </FormField>
  );
}
