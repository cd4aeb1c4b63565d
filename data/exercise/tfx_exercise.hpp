// Reads the inputs of every case from one npz file and writes what a function returned into another, for the programs
// of tfx exercise. It needs Armadillo alone.
//
// A matrix is a token a row, as NumPy prints it. Where a case is a batch, the function is called for each of its
// matrices. {"weights", W} returns a matrix, a row vector, a number, or a cube whose slices are heads.
#pragma once

#include <armadillo>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tfx {

struct Array {
  std::vector<std::size_t> shape;
  std::vector<double> cells; // the last axis runs fastest

  Array() = default;
  Array(double number) : cells{number} {}
  Array(const arma::rowvec& row) : shape{row.n_elem}, cells(row.begin(), row.end()) {}
  Array(const arma::mat& matrix) : shape{matrix.n_rows, matrix.n_cols} { append(matrix); }
  Array(const arma::cube& heads) : shape{heads.n_slices, heads.n_rows, heads.n_cols} {
    for (std::size_t i = 0; i < heads.n_slices; ++i) append(heads.slice(i));
  }
  /// What Armadillo has not computed yet, W * V, and what is no double: a row where it is one, else a matrix.
  template <class Expression, std::enable_if_t<arma::is_arma_type<Expression>::value, int> = 0>
  Array(const Expression& expression) {
    if constexpr (Expression::is_row)
      *this = Array(arma::rowvec(arma::conv_to<arma::rowvec>::from(expression)));
    else
      *this = Array(arma::mat(arma::conv_to<arma::mat>::from(expression)));
  }

private:
  void append(const arma::mat& matrix) {
    const arma::mat turned = matrix.t(); // Armadillo stores columns
    cells.insert(cells.end(), turned.begin(), turned.end());
  }
};

using Arrays = std::vector<std::pair<std::string, Array>>;
using Returned = Arrays;

/// What a function returned under that name: your own of an earlier exercise, called in a later one.
inline arma::mat matrix(const Returned& returned, const std::string& name) {
  for (const auto& [own, array] : returned)
    if (own == name && array.shape.size() == 2)
      return arma::mat(array.cells.data(), array.shape[1], array.shape[0]).t();
  throw std::runtime_error("no matrix " + name + " was returned");
}

/// The inputs of one case; of a batch those of one of its matrices.
class Given {
public:
  Given(std::map<std::string, Array> arrays, std::size_t in_batch)
      : arrays_(std::move(arrays)), in_batch_(in_batch) {}

  arma::mat matrix(const std::string& name) const {
    const Array& array = arrays_.at(name);
    const std::size_t columns = array.shape.at(array.shape.size() - 1),
                      rows = array.shape.at(array.shape.size() - 2);
    arma::mat turned(columns, rows);
    copy(array, turned.begin(), rows * columns);
    return turned.t();
  }
  arma::rowvec row(const std::string& name) const {
    const Array& array = arrays_.at(name);
    arma::rowvec row(array.shape.at(array.shape.size() - 1));
    copy(array, row.begin(), row.n_elem);
    return row;
  }
  double number(const std::string& name) const { return arrays_.at(name).cells.at(0); }
  int whole(const std::string& name) const { return static_cast<int>(number(name)); }

  /// How many matrices the batch has, as far as was seen.
  std::size_t batch() const { return batch_; }

private:
  template <class Cells>
  void copy(const Array& array, Cells to, std::size_t count) const {
    const std::size_t all = count > 0 ? array.cells.size() / count : 1;
    batch_ = std::max(batch_, all);
    const auto from = array.cells.begin() + static_cast<std::ptrdiff_t>(all > 1 ? in_batch_ * count : 0);
    std::copy(from, from + static_cast<std::ptrdiff_t>(count), to);
  }

  std::map<std::string, Array> arrays_;
  std::size_t in_batch_;
  mutable std::size_t batch_ = 1;
};

inline std::uint64_t little_endian(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

/// The array of an npy file of version 1.0, as tfx writes it.
inline Array read_npy(const std::string& bytes) {
  const std::size_t start = 10 + little_endian(bytes, 8, 2);
  const std::string header = bytes.substr(10, start - 10);
  const auto type = [&](const char* name) { return header.find(name) != std::string::npos; };
  Array array;
  std::size_t count = 1;
  for (std::size_t i = header.find('('); header.at(i) != ')'; ++i)
    if (std::isdigit(static_cast<unsigned char>(header[i]))) {
      std::size_t digits = 0;
      array.shape.push_back(std::stoul(header.substr(i), &digits));
      count *= array.shape.back(), i += digits - 1;
    }
  const std::size_t size = type("b1") ? 1 : type("f4") ? 4 : 8;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t raw = little_endian(bytes, start + i * size, size);
    const auto narrow = static_cast<std::uint32_t>(raw);
    double wide = static_cast<double>(static_cast<std::int64_t>(raw));
    float single = 0;
    if (type("f8")) std::memcpy(&wide, &raw, sizeof wide);
    if (type("f4")) std::memcpy(&single, &narrow, sizeof single), wide = single;
    array.cells.push_back(wide);
  }
  return array;
}

/// The arrays of an npz file whose entries are stored, in the order of the file.
inline Arrays read_npz(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  Arrays arrays;
  const std::size_t end = bytes.rfind("PK\5\6");
  std::size_t at = little_endian(bytes, end + 16, 4);
  for (std::size_t left = little_endian(bytes, end + 10, 2); left > 0; --left) {
    const std::size_t name = little_endian(bytes, at + 28, 2), size = little_endian(bytes, at + 20, 4),
                      local = little_endian(bytes, at + 42, 4);
    const std::size_t start =
        local + 30 + little_endian(bytes, local + 26, 2) + little_endian(bytes, local + 28, 2);
    arrays.emplace_back(bytes.substr(at + 46, name - 4), read_npy(bytes.substr(start, size)));
    at += 46 + name + little_endian(bytes, at + 30, 2) + little_endian(bytes, at + 32, 2);
  }
  return arrays;
}

inline void append(std::string& bytes, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFF);
}

inline std::string write_npy(const Array& array) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : array.shape) header += std::to_string(extent) + ", ";
  header += "), }";
  header.append(64 - (header.size() + 11) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  append(bytes, header.size(), 2);
  bytes += header;
  for (const double cell : array.cells) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &cell, sizeof raw);
    append(bytes, raw, 8);
  }
  return bytes;
}

inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t sum = 0xFFFFFFFF;
  for (const unsigned char byte : bytes) {
    sum ^= byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return ~sum;
}

inline void write_npz(const std::string& path, const Arrays& arrays) {
  std::string bytes, table;
  for (const auto& [name, array] : arrays) {
    const std::string npy = write_npy(array), entry = name + ".npy";
    std::string common; // of an entry and its line in the table
    append(common, 20, 2), append(common, 0, 4), append(common, 0x210000, 4), append(common, crc32(npy), 4);
    append(common, npy.size(), 4), append(common, npy.size(), 4), append(common, entry.size(), 2);
    append(common, 0, 2);
    table += "PK\1\2" + std::string("\x14\0", 2) + common + std::string(10, '\0');
    append(table, bytes.size(), 4), table += entry;
    bytes += "PK\3\4" + common + entry + npy;
  }
  const std::size_t start = bytes.size();
  bytes += table + "PK\5\6" + std::string(4, '\0');
  append(bytes, arrays.size(), 2), append(bytes, arrays.size(), 2), append(bytes, table.size(), 4);
  append(bytes, start, 4), append(bytes, 0, 2);
  const std::string part = path + ".part"; // a program that is killed leaves what stood there before
  std::ofstream(part, std::ios::binary) << bytes;
  std::rename(part.c_str(), path.c_str());
}

/// What the function returns for a case; for a batch the arrays stand one behind the other.
template <class Function>
Returned of_case(const std::map<std::string, Array>& inputs, const Function& function) {
  const Given first(inputs, 0);
  Returned all = function(first);
  for (std::size_t i = 1; i < first.batch(); ++i) {
    const Returned next = function(Given(inputs, i));
    for (std::size_t j = 0; j < all.size(); ++j)
      all[j].second.cells.insert(all[j].second.cells.end(), next.at(j).second.cells.begin(),
                                 next.at(j).second.cells.end());
  }
  if (first.batch() > 1)
    for (auto& one : all) one.second.shape.insert(one.second.shape.begin(), first.batch());
  return all;
}

/// A program: the inputs' file and the results' are its arguments.
template <class Function>
int run(int argc, char** argv, const Function& function) {
  if (argc != 3) return std::cerr << "usage: " << argv[0] << " INPUTS.npz RESULTS.npz\n", 2;
  Arrays returned;
  int status = 0;
  try {
    std::vector<std::string> cases;
    std::map<std::string, std::map<std::string, Array>> inputs;
    for (const auto& [name, array] : read_npz(argv[1])) {
      const std::size_t slash = name.find('/');
      if (!inputs.count(name.substr(0, slash))) cases.push_back(name.substr(0, slash));
      inputs[name.substr(0, slash)][name.substr(slash + 1)] = array;
    }
    for (const std::string& one : cases) {
      for (auto& [name, array] : of_case(inputs[one], function))
        returned.emplace_back(one + "/" + name, std::move(array));
      write_npz(argv[2], returned); // a crash in a later case leaves the earlier ones
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    status = 1;
  } catch (...) {
    std::cerr << "something was thrown that is no std::exception\n";
    status = 1;
  }
  return status;
}

} // namespace tfx
