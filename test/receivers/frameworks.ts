/** The packages of npm that the checks of Next.js and NestJS install. */
export const NEXT = ["next@16.4.6", "react@19.3.1", "react-dom@19.3.1", "@types/react@19"];
export const NEST = [
  ...["core", "common", "platform-express"].map((name) => `@nestjs/${name}@12.5.1`),
  ...["reflect-metadata@0.2", "rxjs@7"],
];

/** The packages of PyPI that the check of the Python frameworks installs. */
export const PYPI = ["Django==5.2.19", "fastapi==0.165.0", "Flask==3.1.3", "uvicorn==0.54.0"];
