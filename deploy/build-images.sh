#!/usr/bin/env bash
# Builds the images of all parts and of the operator's commands: deploy/build-images.sh [TAG [archive.tar]]
# The tag is by default the release, which every image names in its label. It is not latest.
# BUILD_IMAGE and RUNTIME_IMAGE replace the public Node image, IMAGE_PREFIX (localhost/shipping-) begins the names, DOCKER_BUILD_ARGS is
# handed to `docker build`. With an archive's name, the images are also saved there, for a cluster without a registry.
set -euo pipefail
cd "$(dirname "$0")/.."
release=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
tag=${1:-$release}
prefix=${IMAGE_PREFIX:-localhost/shipping-}
images=()
for file in */part.yaml services/*/part.yaml cli/package.json; do
  workspace=${file%/*}
  image="$prefix${workspace##*/}:$tag"
  # shellcheck disable=SC2086 # may hold several arguments
  docker build ${DOCKER_BUILD_ARGS:-} --file deploy/Dockerfile --build-arg "WORKSPACE=$workspace" \
    ${BUILD_IMAGE:+--build-arg "BUILD_IMAGE=$BUILD_IMAGE"} ${RUNTIME_IMAGE:+--build-arg "RUNTIME_IMAGE=$RUNTIME_IMAGE"} \
    --build-arg "VERSION=$release" --build-arg "REVISION=$(git rev-parse HEAD)" --tag "$image" .
  images+=("$image")
done
if [ -n "${2:-}" ]; then docker save --output "$2" "${images[@]}"; fi
