# syntax=docker/dockerfile:1
FROM node:24.21.0-alpine AS base
WORKDIR /site

FROM base AS build
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build

FROM base AS packages
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev

FROM base
ENV NODE_ENV=production PORT=3000
COPY --from=packages /site/node_modules node_modules
COPY --from=build /site/build build
COPY package.json ./
# Earlier builds' assets: mount a volume here and pages that are open during a deployment keep their code.
RUN mkdir build/kept && chown node build/kept
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and drains on SIGTERM; npm in between would swallow the signal.
CMD ["node", "build/server/server.js"]
