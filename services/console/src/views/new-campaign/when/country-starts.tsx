import { use } from 'react';
import { countryName } from '../../../parts/words/country-names.ts';
import { FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { useCurrentMinute } from '../../../parts/browser/now.ts';
import { formatTime } from '../../../parts/times/times.ts';
import { useZone } from '../../../parts/times/zone.ts';
import type { WhenForm } from '../../../parts/when/when-form.ts';
import { ZoneField } from '../../../parts/when/zone-field.tsx';
import { instantOf, isZone } from '../../../parts/times/zoned-times.ts';

interface CountryStartsProps {
  when: WhenForm;
  countries: readonly string[];
  onZones: (zones: Readonly<Record<string, string>>) => void;
}

/** Fields for the time zones of countries that have several, and the starts in the user's zone. */
export function CountryStarts({ when, countries, onZones }: CountryStartsProps) {
  const own = useZone();
  const now = new Date(useCurrentMinute());
  const problems = use(FormProblemsContext);
  if (countries.length === 0) return <p className="t3 sm">Choose countries above, under Audience.</p>;
  const startIn = (zone: string) => {
    const instant = zone !== '' && isZone(zone) && when.time !== '' ? instantOf(when.time, zone) : null;
    return instant === null ? '' : `, which is ${formatTime(instant, { zone: own.zone, now })} in ${own.zone}`;
  };
  return (
    <div className="grid grid-cols-[repeat(auto-fill,minmax(150px,1fr))] gap-3">
      {countries.map((country) => (
        <ZoneField
          key={country}
          pointer={`/schedule/zones/${country}`}
          label={`Zone of ${countryName(country)}${startIn(when.zones[country] ?? '')}`}
          placeholder={problems.at(`/schedule/zones/${country}`).length > 0 ? 'choose one' : 'its own zone'}
          value={when.zones[country] ?? ''}
          onChange={(zone) => onZones({ ...when.zones, [country]: zone })}
        />
      ))}
    </div>
  );
}
