#!/usr/bin/env bash
# Train the English model that comes with crossarc, on UD English EWT: scripts/train_en.sh FOLDER
# FOLDER has train.conllu and dev.conllu. Takes about 25 minutes on one core. The same files give the same model.
set -euo pipefail
folder=$1
cd "$(dirname "$0")/.."
crossarc train --pipeline --parser neural --config scripts/en.toml --train "$folder/train.conllu" \
    --dev "$folder/dev.conllu" --output src/crossarc/pipeline/models/en.crossarc
