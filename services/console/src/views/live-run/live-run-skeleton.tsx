import { SkeletonBar, SkeletonRows, usePatience } from '../../parts/standing/skeleton.tsx';
import styles from './live-run.module.css';

/** The page at its true height before its numbers are there. */
export function LiveRunSkeleton() {
  const isShown = usePatience();
  return (
    <div aria-busy="true" aria-label="The run is being read" role="status" className={styles['skeleton']}>
      <h1 className="vh">Run</h1>
      <div className={styles['skeletonHead']}>{isShown && <SkeletonBar width={260} />}</div>
      <div className="kpis">
        {[110, 90, 100, 70, 80].map((width) => (
          <div className={`kpi ${styles['skeletonKpi'] ?? ''}`} key={width}>
            {isShown && <SkeletonBar width={width} />}
          </div>
        ))}
      </div>
      <section className={`panel ${styles['cut'] ?? ''}`}>
        <table>
          <tbody>
            <SkeletonRows rows={8} columns={[110, 60, 160, 60, 40, 40, 60]} />
          </tbody>
        </table>
      </section>
    </div>
  );
}
